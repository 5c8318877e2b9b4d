/**
 * Plans the reorgs of the simulated chain, as a pure function of the seed. A reorg replaces the newest
 * blocks.
 */
import assert from 'node:assert/strict'
import type { Swap } from '../../../schemas/chain-a/facts.ts'
import { createRandom } from '../../simulated/random.ts'
import type { TokenFact } from '../types.ts'
import { branchHashAt } from './identities.ts'

/**
 * The simulated chain has one reorg in every `everySec` seconds of chain time. The reorg replaces 1 to
 * `depthMax` blocks. `depthMax` must be less than `everySec`.
 */
export type ReorgPlan = Readonly<{ seed: number; everySec: number; depthMax: number }>

/**
 * A reorg that replaces the blocks from `fromSec` to `atSec`, both included. `variant` says what happens to
 * the swaps of these blocks: they stay in their blocks, are dropped, or all move to the block at `atSec`.
 */
export type Reorg = Readonly<{ fromSec: number; atSec: number; variant: 'same' | 'dropped' | 'moved' }>

/** Returns the first reorg whose `atSec` is `second` or later. */
export function reorgFrom({ seed, everySec, depthMax }: ReorgPlan, second: number): Reorg {
  assert.ok(depthMax >= 1 && depthMax < everySec, 'a block must be replaced at most one time')
  const index = Math.ceil(second / everySec)
  const random = createRandom(seed, index, 17)
  const atSec = index * everySec
  return { atSec, fromSec: atSec - random.whole(1, depthMax) + 1, variant: random.pick(['same', 'dropped', 'moved']) }
}

/**
 * Returns the facts of the blocks that a reorg puts in place of others. `facts` are the facts of the replaced
 * blocks.
 */
export function replacedFacts(chainSeed: number, reorg: Reorg, facts: readonly TokenFact[]): readonly TokenFact[] {
  const { variant, atSec } = reorg
  const stays = ({ fact }: TokenFact) =>
    fact.type !== 'Swap' || variant === 'same' || (variant === 'moved' && fact.data.blockAtMs === atSec * 1000)
  const kept = facts.filter(stays).map((keyed) => onBranch(chainSeed, keyed))
  if (variant !== 'moved') return kept
  const last = kept.filter(({ fact }) => fact.data.blockAtMs === atSec * 1000).at(-1)?.fact.data
  let place = { txIndex: last?.txIndex ?? 0, logIndex: last?.logIndex ?? -1 }
  const moved = facts.flatMap((keyed) => {
    if (stays(keyed) || keyed.fact.type !== 'Swap') return []
    place = { txIndex: place.txIndex + 1, logIndex: place.logIndex + 3 }
    return [movedTo(chainSeed, keyed.key, { ...keyed.fact.data, ...place, ...blockAt(keyed.fact.data, atSec) })]
  })
  return [...kept, ...moved]
}

const blockAt = ({ blockNumber, blockAtMs }: Swap, second: number) => ({
  blockNumber: blockNumber + second - blockAtMs / 1000,
  blockAtMs: second * 1000,
})

const movedTo = (chainSeed: number, key: TokenFact['key'], data: Swap): TokenFact =>
  onBranch(chainSeed, { key, fact: { type: 'Swap', data } })

function onBranch(chainSeed: number, { key, fact }: TokenFact): TokenFact {
  const blockHash = branchHashAt(chainSeed, fact.data.blockAtMs / 1000)
  // Only the block hash changes, so the type of the fact stays the same. The compiler cannot infer this from
  // the union type.
  return { key, fact: { type: fact.type, data: { ...fact.data, blockHash } } as TokenFact['fact'] }
}
