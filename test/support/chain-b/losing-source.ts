/** A source that loses trades for good, and says so as ingest does: with a GapFound before the trade that shows it. */

import type { KeyedEvent } from '../../../ingest/chain-b/decode/decode-transaction.ts'
import { markGaps } from '../../../ingest/chain-b/reserves/mark-gaps.ts'
import { createReserveChain } from '../../../ingest/chain-b/reserves/reserve-chain.ts'
import type { ChainBRange, ChainBSource, MintFact } from '../../../ingest/chain-b/types.ts'
import { groupBy } from '../group-by.ts'

/**
 * One trade in `oneIn`, told by its hash, so that a restart and a reorg lose the same. Only trades on a curve with another
 * trade of that curve before and behind them in their range: a range says all of its gaps by itself.
 */
export const losingSource = (source: ChainBSource, oneIn: number): ChainBSource => ({
  kind: source.kind,
  async *ranges(...start) {
    for await (const range of source.ranges(...start)) yield { ...range, facts: lose(range, oneIn) }
  },
})

function lose({ facts }: ChainBRange, oneIn: number): readonly MintFact[] {
  const trades = groupBy(facts.filter(isOnCurve), ({ key }) => key)
  const inner = [...trades.values()].flatMap((ofCurve) => ofCurve.slice(1, -1))
  const lost = new Set<MintFact>(inner.filter(({ fact }) => Number(BigInt(fact.data.txHash) % BigInt(oneIn)) === 0))
  const heard = facts.filter((keyed) => !lost.has(keyed)) as readonly KeyedEvent[]
  return markGaps(heard, createReserveChain()).facts as readonly MintFact[]
}

const isOnCurve = ({ fact }: MintFact): boolean => fact.type === 'CurveTraded' && !fact.data.isMayhem
