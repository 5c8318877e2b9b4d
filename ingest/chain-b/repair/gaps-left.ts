/** Finds the gaps of curves that remain after missing facts were merged into the facts of the log. */
import type { ChainBFact, GapFound } from '../../../schemas/chain-b/facts.ts'
import { createReserveChain } from '../reserves/reserve-chain.ts'
import type { MintFact } from '../types.ts'
import { gapBefore, gapIdOf, type OpenGap } from './gap.ts'
import { isOnTime } from './place-in-slot.ts'

export type GapsLeft = Readonly<{
  facts: readonly MintFact[]
  filled: readonly string[]
  /** The gaps in which trades are still missing, with the new amounts. */
  changed: readonly OpenGap[]
}>

/**
 * Checks the gaps of the mints in `keys`, without adding new gaps. Trades may be missing without a GapFound.
 * Then late facts have repaired their gap, or a curve's account revealed it.
 */
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
    if (link.kind === 'unknown') return [gapFact(key, gap), keyed]
    const smaller = { ...gap, ...link.gap }
    changed.push(gapBefore(key, smaller, fact.data))
    return [gapFact(key, smaller), keyed]
  })
  return { facts: left, filled, changed }
}

const gapFact = (key: string, data: GapFound): MintFact => ({ key, fact: { type: 'GapFound', data } as ChainBFact })
