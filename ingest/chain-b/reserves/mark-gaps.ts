/**
 * Puts the fact GapFound before each trade that does not begin with the reserves after the curve's previous
 * trade. Such a trade shows that earlier trades are missing. The facts must be in chain order.
 */
import type { ChainBFact, CurveTraded } from '../../../schemas/chain-b/facts.ts'
import type { KeyedEvent } from '../decode/decode-transaction.ts'
import type { Gap, ReserveChain } from './reserve-chain.ts'

type KeyedFact = Readonly<{ key: string; fact: ChainBFact }>

export type MarkedFacts = Readonly<{
  facts: readonly KeyedFact[]
  /** The first trades of curves whose reserves were unknown. */
  unknownCurves: readonly KeyedEvent[]
}>

/** Marks the gaps, and updates the reserves in `chain` to the end of the facts. */
export function markGaps(facts: readonly KeyedEvent[], chain: ReserveChain): MarkedFacts {
  const unknownCurves: KeyedEvent[] = []
  const marked = facts.flatMap((keyed): readonly KeyedFact[] => {
    const { key, fact } = keyed
    if (fact.type === 'CurveLaunched') {
      const { virtualQuoteRaw, virtualTokenRaw, blockNumber } = fact.data
      chain.begin(key, { quoteRaw: virtualQuoteRaw, tokenRaw: virtualTokenRaw }, blockNumber)
    }
    if (fact.type !== 'CurveTraded') return [keyed]
    const link = chain.follow(key, fact.data)
    if (link.kind === 'unknown') unknownCurves.push(keyed)
    return link.kind === 'broken' ? [{ key, fact: gapBefore(fact.data, link.gap) }, keyed] : [keyed]
  })
  return { facts: marked, unknownCurves }
}

function gapBefore(trade: CurveTraded, gap: Gap): ChainBFact {
  const { blockNumber, blockAtMs, txIndex, logIndex, blockHash, txHash } = trade
  return { type: 'GapFound', data: { ...gap, blockNumber, blockAtMs, txIndex, logIndex, blockHash, txHash } }
}
