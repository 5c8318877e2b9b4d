/**
 * Adds rare facts to the trade history of a mint: ingest finds the curve again, reads facts late, or misses
 * trades.
 */
import type { ChainBFact, CurveTraded } from '../../../../schemas/chain-b/facts.ts'
import type { Draw } from '../../../replay/market/draw.ts'
import {
  buildCurveFound,
  buildCurveMigrated,
  buildCurveTraded,
  buildGapFound,
  buildGapRepaired,
} from '../../chain-b/build-facts.ts'
import { type ScriptedFact, slotsPerSec, slotTimeOf } from '../../chain-b/scripted-curve.ts'

type Life = readonly ScriptedFact[]
type Twist = (life: Life, draw: Draw) => Life

const placeOf = (slot: number) => ({ blockNumber: slot, blockAtMs: slotTimeOf(slot) })
const sharedPlaceOf = ({ blockNumber, blockAtMs, blockHash, txHash, txIndex, logIndex }: ChainBFact['data']) => ({
  ...{ blockNumber, blockAtMs, blockHash, txHash, txIndex, logIndex },
})

/** The sort is stable, so facts of one slot stay in their order. */
const inOrder = (life: Life): Life => [...life].sort((one, other) => one.slot - other.slot)

/** Inserts facts directly before the fact at `index`. */
const withFactsAt = (life: Life, index: number, facts: Life): Life => [
  ...life.slice(0, index),
  ...facts,
  ...life.slice(index),
]

export function twisted(life: Life, draw: Draw): Life {
  const twists: readonly Twist[] = [
    bent,
    launchedLate,
    foundAnew,
    withLateFacts,
    withGaps,
    graduatedAgain,
    withStrangers,
  ]
  return twists.reduce((its, twist) => twist(its, draw), life)
}

type Traded = Readonly<{ index: number; trade: CurveTraded }>

/** Returns the trades that are the first facts of their slots. Late trades are left out. */
const firstTradesOf = (life: Life): readonly Traded[] =>
  life.flatMap(({ slot, fact }, index) =>
    fact.type === 'CurveTraded' && fact.data.lateAtMs === null && life[index - 1]?.slot !== slot
      ? [{ index, trade: fact.data }]
      : [],
  )

/** Draws the trade at which a history is changed. Returns null if the history has no suitable trade. */
function drawTrade(life: Life, draw: Draw): Traded | null {
  const trades = firstTradesOf(life)
  return trades[draw(trades.length)] ?? null
}

/** Changes the price of the curve from a random trade on, so that it no longer follows the formula. */
function bent(life: Life, draw: Draw): Life {
  const drawn = draw(2) === 0 ? drawTrade(life, draw) : null
  if (drawn === null) return life
  return life.map(({ slot, fact }, index) => {
    if (fact.type !== 'CurveTraded' || index < drawn.index) return { slot, fact }
    return { slot, fact: { ...fact, data: { ...fact.data, virtualQuoteRaw: fact.data.virtualQuoteRaw + 10n ** 9n } } }
  })
}

/** Makes some launches late: the launch is read only after the curve was found. */
function launchedLate(life: Life, draw: Draw): Life {
  const [first, ...others] = life
  if (first?.fact.type !== 'CurveLaunched' || draw(4) > 0) return life
  const readSlot = first.slot + 1 + draw(3000)
  const opened = firstTradesOf(others)[0]
  if (opened === undefined) return life
  const { trade } = opened
  const launch = { launchSlot: first.slot, launchAtMs: slotTimeOf(first.slot) }
  const found = { slot: trade.blockNumber, fact: foundBefore(trade, life, launch) }
  return inOrder([found, ...others, { slot: readSlot, fact: lateOf(first.fact, readSlot) }])
}

function lateOf(fact: ChainBFact, readSlot: number): ChainBFact {
  const { blockNumber: lateSlot, blockAtMs: lateAtMs } = fact.data
  return { ...fact, data: { ...fact.data, lateSlot, lateAtMs, ...placeOf(readSlot) } } as ChainBFact
}

/**
 * Lets ingest find the curve again up to five times. The `CurveFound` fact may lack the launch or the supply,
 * or may have a recent launch time.
 */
function foundAnew(life: Life, draw: Draw): Life {
  let its = life
  // In a short history, a `CurveFound` fact would leave too few trades before it and after it.
  const countMax = firstTradesOf(life).length < 20 ? 0 : 5
  for (let count = draw(countMax + 1); count > 0; count--) {
    const drawn = drawTrade(its, draw)
    if (drawn === null) return its
    const { index, trade } = drawn
    const slot = trade.blockNumber
    const launchSlot = draw(3) === 0 ? null : slot - [700, 1500, 9000, 100_000][draw(4)]!
    const launchAtMs = launchSlot === null ? null : slotTimeOf(launchSlot)
    its = withFactsAt(its, index, [{ slot, fact: foundBefore(trade, life, { launchSlot, launchAtMs }) }])
    if (draw(3) > 0) continue
    // A few seconds later, ingest finds the curve again. This second `CurveFound` fact ends everything that
    // began at the first one.
    const next = firstTradesOf(its).find((other) => other.index > index + 1)
    if (next !== undefined)
      its = withFactsAt(its, next.index, [
        { slot: next.trade.blockNumber, fact: foundBefore(next.trade, life, { launchSlot: null, launchAtMs: null }) },
      ])
  }
  return its
}

type Launch = Readonly<{ launchSlot: number | null; launchAtMs: number | null }>

function foundBefore(trade: CurveTraded, life: Life, launch: Launch): ChainBFact {
  const { quoteRaw, tokenRaw, virtualQuoteRaw, virtualTokenRaw, realQuoteRaw, realTokenRaw } = trade
  const opening = life.find(({ fact }) => fact.type === 'CurveLaunched' || fact.type === 'CurveFound')?.fact
  const curve = opening !== undefined && 'curve' in opening.data ? { curve: opening.data.curve } : {}
  const { quoteMint, isMayhem, blockNumber } = trade
  return buildCurveFound({
    ...{ ...curve, ...launch, quoteMint, isMayhem, supplyRaw: blockNumber % 4 === 0 ? null : 10n ** 15n },
    ...{ virtualQuoteRaw: virtualQuoteRaw - quoteRaw, virtualTokenRaw: virtualTokenRaw + tokenRaw },
    ...{ realQuoteRaw: realQuoteRaw - quoteRaw, realTokenRaw: realTokenRaw + tokenRaw, ...sharedPlaceOf(trade) },
  })
}

/** Returns how rare late facts of a type are. On average, one in this number of facts is read late. */
function rarityOf({ type, data }: ChainBFact): number {
  if (type === 'PoolTraded') return 30
  if (type !== 'CurveTraded') return 6
  return data.realTokenRaw === 0n ? 2 : 30
}

/**
 * Makes one trade in thirty and some of the other facts late. A late fact is in the log at a later position,
 * with the slot in which it was read.
 */
function withLateFacts(life: Life, draw: Draw): Life {
  return inOrder(
    life.map(({ slot, fact }): ScriptedFact => {
      if (!('lateAtMs' in fact.data) || fact.data.lateAtMs !== null || draw(rarityOf(fact)) > 0) return { slot, fact }
      const readSlot = slot + 1 + draw(2) * draw(3000)
      return { slot: readSlot, fact: lateOf(fact, readSlot) }
    }),
  )
}

const failures = [null, 'the node has no such trade'] as const

/**
 * Adds gaps before trades, and facts that repair gaps. A repair is for a known gap, for a gap of another
 * mint, or for a gap that no trade follows.
 */
function withGaps(life: Life, draw: Draw): Life {
  let its = life
  for (let count = draw(8); count > 0; count--) {
    const drawn = drawTrade(its, draw)
    if (drawn === null) return its
    const { index, trade } = drawn
    const missing = { missingQuoteRaw: BigInt(draw(9) - 4) * 10n ** 8n, missingTokenRaw: 1n }
    const found = buildGapFound({ ...sharedPlaceOf(trade), lastSlot: trade.blockNumber - 1, ...missing })
    if (draw(3) > 0) its = withFactsAt(its, index, [{ slot: trade.blockNumber, fact: found }])
    const failure = failures[draw(2)] ?? null
    const { txHash: gapTxHash, logIndex: gapLogIndex } = found.data
    const gap = [
      { gapTxHash, gapLogIndex },
      { gapTxHash: null, gapLogIndex: null },
      { gapTxHash, gapLogIndex: 99 },
    ][draw(3)]
    const slot = trade.blockNumber + draw(400)
    const repairs = Array.from({ length: draw(3) }, () => ({
      slot,
      fact: buildGapRepaired({ ...gap, isWhole: failure === null, failure, ...placeOf(slot) }),
    }))
    its = inOrder([...its, ...repairs])
  }
  return its
}

/**
 * Lets the mint be found again some minutes after its migration. In some histories, a small buy then
 * completes the curve, and the curve migrates again.
 */
function graduatedAgain(life: Life, draw: Draw): Life {
  const migrated = life.find(({ fact }) => fact.type === 'CurveMigrated' && fact.data.lateAtMs === null)
  if (migrated === undefined || draw(2) === 0) return life
  const taken = new Set(life.map(({ slot }) => slot))
  const freeAfter = (from: number): number => (taken.has(from) ? freeAfter(from + 1) : from)
  const foundSlot = freeAfter(migrated.slot + 1 + draw(16 * 60 * slotsPerSec))
  const boughtSlot = freeAfter(foundSlot + 1)
  const soldOutSlot = freeAfter(boughtSlot + 1)
  const againSlot = freeAfter(soldOutSlot + 1 + draw(300))
  const small = { quoteRaw: 10_000_000n, tokenRaw: 10n ** 10n }
  const facts: Life = [
    { slot: foundSlot, fact: buildCurveFound({ realTokenRaw: 2n * 10n ** 10n, ...placeOf(foundSlot) }) },
    { slot: boughtSlot, fact: buildCurveTraded({ ...small, realTokenRaw: 10n ** 10n, ...placeOf(boughtSlot) }) },
    { slot: soldOutSlot, fact: buildCurveTraded({ ...small, realTokenRaw: 0n, ...placeOf(soldOutSlot) }) },
    { slot: againSlot, fact: buildCurveMigrated(placeOf(againSlot)) },
  ]
  return inOrder([...life, ...facts.slice(0, 1 + draw(4))])
}

/**
 * Adds trades before the opening of the curve. Also adds trades two days after the last fact, when the
 * service no longer tracks the mint.
 */
function withStrangers(life: Life, draw: Draw): Life {
  const [first, last] = [life[0], life.at(-1)]
  if (first === undefined || last === undefined || draw(3) === 0) return life
  const trades = life.filter(({ fact }) => fact.type === 'CurveTraded' && fact.data.lateAtMs === null).slice(-3)
  const early = Math.max(1, first.slot - 5)
  const late = last.slot + 48 * 3600 * slotsPerSec
  const at = (slot: number) =>
    trades.map(({ fact }) => ({ slot, fact: { ...fact, data: { ...fact.data, ...placeOf(slot) } } as ChainBFact }))
  return inOrder([...life, ...at(early), ...at(late)])
}
