/** Which gaps of curves are still there after some of what was missing has been put in. */
import type { ChainBFact, GapFound } from '../../../schemas/chain-b/facts.ts'
import { createReserveChain } from '../reserves/reserve-chain.ts'
import type { MintFact } from '../types.ts'
import { gapBefore, gapIdOf, type OpenGap } from './gap.ts'
import { isOnTime } from './place-in-slot.ts'

export type GapsLeft = Readonly<{
  facts: readonly MintFact[]
  filled: readonly string[]
  /** With what is missing of them now. */
  changed: readonly OpenGap[]
}>

/** Of these mints. None is added: what the log never said to be missing was repaired late, or is known by the account. */
export function gapsLeft(facts: readonly MintFact[], keys: ReadonlySet<string>): GapsLeft {
  const chain = createReserveChain()
  const found = new Map<string, GapFound>()
  const filled: string[] = []
  const changed: OpenGap[] = []
  const left = facts.flatMap((keyed): readonly MintFact[] => {
    const { key, fact } = keyed
    if (!keys.has(key)) return [keyed]
    if (fact.type === 'GapFound') {
      found.set(key, fact.data)
      return []
    }
    if (!isOnTime(keyed) || fact.type !== 'CurveTraded') return [keyed]
    const link = chain.follow(key, fact.data)
    const gap = found.get(key)
    if (!gap) return [keyed]
    found.delete(key)
    if (link.kind === 'linked') {
      filled.push(gapIdOf(key, gap))
      return [keyed]
    }
    if (link.kind === 'stranger') return [gapFact(key, gap), keyed]
    const smaller = { ...gap, ...link.gap }
    changed.push(gapBefore(key, smaller, fact.data))
    return [gapFact(key, smaller), keyed]
  })
  return { facts: left, filled, changed }
}

const gapFact = (key: string, data: GapFound): MintFact => ({ key, fact: { type: 'GapFound', data } as ChainBFact })
