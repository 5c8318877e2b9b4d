/**
 * Wraps sources so that ingest never gets some of the trades. The gaps in the trades are marked as ingest
 * marks them.
 */

import type { KeyedEvent } from '../../../ingest/chain-b/decode/decode-transaction.ts'
import { withLateFacts } from '../../../ingest/chain-b/repair/late-facts.ts'
import { markGaps } from '../../../ingest/chain-b/reserves/mark-gaps.ts'
import { createReserveChain } from '../../../ingest/chain-b/reserves/reserve-chain.ts'
import type { ChainBRange, ChainBSource, MintFact } from '../../../ingest/chain-b/types.ts'
import type { Hex } from '../../../schemas/units.ts'
import { groupBy } from '../group-by.ts'
import { createAccountLooks } from './account-looks.ts'

/**
 * Loses one in `oneIn` trades. The hash decides which ones, so a restart and a reorg lose the same trades.
 * The first and last trades of a curve in a range are never lost, so the trades around each gap are in one
 * range.
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
  /** Null: no trade is lost. */
  oneIn: number | null
  /** The time after which no trade is lost. So ingest finds all gaps before the test ends. */
  untilMs: number
}>

/**
 * Loses one in `oneIn` transactions with curve trades, even the first and last trades of a range. Launches
 * are never lost. The state of the curves is remembered, so the source is good for one run without reorgs.
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
