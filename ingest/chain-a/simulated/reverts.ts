/** Branches that the simulated chain leaves: every so often the last blocks are replaced, as a pure function of the seed. */
import assert from 'node:assert/strict'
import type { Swap } from '../../../schemas/chain-a/facts.ts'
import type { TokenFact } from '../../source.ts'
import { branchHashAt } from './identities.ts'
import { createRandom } from './random.ts'

/** One revert in each `everySec` seconds (chain time), of 1 to `depthMax` blocks; `depthMax` < `everySec`. */
export type RevertPlan = Readonly<{ seed: number; everySec: number; depthMax: number }>

/** The blocks of seconds `[fromSec, atSec]` are told, and then told again: with their swaps, without, or all at `atSec`. */
export type Revert = Readonly<{ fromSec: number; atSec: number; variant: 'same' | 'dropped' | 'moved' }>

/** The first revert at or after a second. */
export function revertFrom({ seed, everySec, depthMax }: RevertPlan, second: number): Revert {
  assert.ok(depthMax >= 1 && depthMax < everySec, 'a block is replaced at most once')
  const index = Math.ceil(second / everySec)
  const random = createRandom(seed, index, 17)
  const atSec = index * everySec
  return { atSec, fromSec: atSec - random.whole(1, depthMax) + 1, variant: random.pick(['same', 'dropped', 'moved']) }
}

/** What happened in the replaced blocks after all; `facts` are those told of them first. */
export function retold(chainSeed: number, revert: Revert, facts: readonly TokenFact[]): readonly TokenFact[] {
  const { variant, atSec } = revert
  const stays = ({ fact }: TokenFact) =>
    fact.type !== 'Swap' || variant === 'same' || (variant === 'moved' && fact.data.blockAtMs === atSec * 1000)
  const kept = facts.filter(stays).map((told) => onBranch(chainSeed, told))
  if (variant !== 'moved') return kept
  const last = kept.filter(({ fact }) => fact.data.blockAtMs === atSec * 1000).at(-1)?.fact.data
  let place = { txIndex: last?.txIndex ?? 0, logIndex: last?.logIndex ?? -1 }
  const moved = facts.flatMap((told) => {
    if (stays(told) || told.fact.type !== 'Swap') return []
    place = { txIndex: place.txIndex + 1, logIndex: place.logIndex + 3 }
    return [movedTo(chainSeed, told.token, { ...told.fact.data, ...place, ...blockAt(told.fact.data, atSec) })]
  })
  return [...kept, ...moved]
}

const blockAt = ({ blockNumber, blockAtMs }: Swap, second: number) => ({
  blockNumber: blockNumber + second - blockAtMs / 1000,
  blockAtMs: second * 1000,
})

const movedTo = (chainSeed: number, token: TokenFact['token'], data: Swap): TokenFact =>
  onBranch(chainSeed, { token, fact: { type: 'Swap', data } })

function onBranch(chainSeed: number, { token, fact }: TokenFact): TokenFact {
  const blockHash = branchHashAt(chainSeed, fact.data.blockAtMs / 1000)
  // The type of the data stays that of the fact; the compiler does not follow that through the union.
  return { token, fact: { type: fact.type, data: { ...fact.data, blockHash } } as TokenFact['fact'] }
}
