/** Sources that lose trades for good, and say so as ingest does. */

import type { KeyedEvent } from '../../../ingest/chain-b/decode/decode-transaction.ts'
import { withLateFacts } from '../../../ingest/chain-b/repair/late-facts.ts'
import { markGaps } from '../../../ingest/chain-b/reserves/mark-gaps.ts'
import { createReserveChain } from '../../../ingest/chain-b/reserves/reserve-chain.ts'
import type { ChainBRange, ChainBSource, MintFact } from '../../../ingest/chain-b/types.ts'
import type { Hex } from '../../../schemas/units.ts'
import { groupBy } from '../group-by.ts'
import { createAccountLooks } from './account-looks.ts'

/**
 * One trade in `oneIn`, told by its hash, so that a restart and a reorg lose the same. Only trades on a curve with another
 * trade of that curve before and behind them in their range: a range says all of its gaps by itself.
 */
export const losingSource = (source: ChainBSource, oneIn: number): ChainBSource => ({
  kind: source.kind,
  async *ranges(...start) {
    for await (const range of source.ranges(...start)) yield { ...range, facts: loseWithin(range, oneIn) }
  },
})

function loseWithin({ facts }: ChainBRange, oneIn: number): readonly MintFact[] {
  const trades = groupBy(facts.filter(isOnCurve), ({ key }) => key)
  const inner = [...trades.values()].flatMap((ofCurve) => ofCurve.slice(1, -1))
  const lost = new Set<MintFact>(inner.filter((keyed) => isDrawn(keyed, oneIn)))
  const heard = facts.filter((keyed) => !lost.has(keyed)) as readonly KeyedEvent[]
  return markGaps(heard, createReserveChain()).facts as readonly MintFact[]
}

export type Losing = Readonly<{
  /** Null: none is lost. */
  oneIn: number | null
  /** Later trades are not lost, so that there is time to tell of the others. */
  untilMs: number
}>

/**
 * One transaction in `oneIn` that trades on a curve, the first and the last ones of curves and ranges too; that of a launch is
 * heard. For one run over a market without reorgs, because it keeps where the curves stand.
 */
export const losingForGood = (source: ChainBSource, losing: Losing): ChainBSource => ({
  kind: source.kind,
  async *ranges(...start) {
    const chain = createReserveChain()
    const looks = createAccountLooks()
    for await (const range of source.ranges(...start)) {
      const lost = lostIn(range, losing)
      const heard = range.facts.filter(({ fact }) => !lost.has(fact.data.txHash)) as readonly KeyedEvent[]
      const facts = markGaps(heard, chain).facts as readonly MintFact[]
      yield withLateFacts({ ...range, facts }, looks.givenUp(range, lost))
    }
  },
})

function lostIn({ facts }: ChainBRange, { oneIn, untilMs }: Losing): ReadonlySet<Hex> {
  if (oneIn === null) return new Set()
  const launches = new Set(facts.flatMap(({ fact }) => (fact.type === 'CurveLaunched' ? [fact.data.txHash] : [])))
  const drawn = facts.filter(
    (keyed) =>
      isOnCurve(keyed) &&
      isDrawn(keyed, oneIn) &&
      keyed.fact.data.blockAtMs < untilMs &&
      !launches.has(keyed.fact.data.txHash),
  )
  return new Set(drawn.map(({ fact }) => fact.data.txHash))
}

const isDrawn = ({ fact }: MintFact, oneIn: number): boolean => Number(BigInt(fact.data.txHash) % BigInt(oneIn)) === 0

const isOnCurve = ({ fact }: MintFact): boolean => fact.type === 'CurveTraded' && !fact.data.isMayhem
