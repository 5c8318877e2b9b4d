/** Finds the gaps of curves that remain after missing facts were inserted into the recorded facts. */
import type { ChainBFact, GapFound } from '../../../schemas/chain-b/facts.ts'
import { createReserveChain } from '../reserves/reserve-chain.ts'
import type { MintFact } from '../types.ts'
import { gapBefore, gapIdOf, type OpenGap } from './gap.ts'
import { isOnTime } from './place-in-slot.ts'

export type GapsLeft = Readonly<{
  facts: readonly MintFact[]
  filled: readonly string[]
  /** The gaps in which trades are still missing. Their missing amounts are updated. */
  changed: readonly OpenGap[]
}>

/**
 * Checks again the gaps that a GapFound fact reports for the mints in `keys`. Adds no new gaps. Trades may be
 * missing at other places too, if late facts have repaired the gap there, or if ingest found the gap by
 * reading the curve's account.
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
