/**
 * Scenes: trade histories of mints whose values are exactly on the bounds of the rules. Second 0 is the time
 * of the burst, if there is one.
 */
import { forSaleRaw } from '../../../schemas/chain-b/curve.ts'
import type { ChainBFact } from '../../../schemas/chain-b/facts.ts'
import type { Hex } from '../../../schemas/units.ts'
import {
  buildCurveCompleted,
  buildCurveFound,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildGapFound,
  buildKey,
  buildPoolTraded,
  late,
  type TradeFields,
  testCurve,
  testPool,
} from '../../support/chain-b/build-facts.ts'

type Place = Pick<ChainBFact['data'], 'blockNumber' | 'blockAtMs' | 'blockHash'>
/** `sec` is the time in seconds after the start of second 0. `nth` is the slot within this second. */
type Step = Readonly<{ sec: number; nth: number; build: (place: Place) => ChainBFact }>
export type Scene = Readonly<{
  name: string
  steps: readonly Step[]
  holders?: readonly (readonly [owner: Hex, tokenRaw: bigint])[]
}>

const launch = (sec: number, fields: Parameters<typeof buildCurveLaunched>[0] = {}): Step => ({
  ...{ sec, nth: 0 },
  build: (place) => buildCurveLaunched({ ...fields, ...place }),
})
const find = (sec: number, ageSec: number | null): Step => ({
  ...{ sec, nth: 0 },
  build: (place) => buildCurveFound({ launchAtMs: ageSec === null ? null : place.blockAtMs - ageSec * 1000, ...place }),
})
const trade = (sec: number, fields: TradeFields, nth = 0): Step => ({
  ...{ sec, nth },
  build: (place) => buildCurveTraded({ trader: buildKey(0x7a00 + sec), ...fields, ...place }),
})
const lateTrade = (sec: number, fields: TradeFields): Step => ({
  ...{ sec, nth: 0 },
  build: (place) => late(buildCurveTraded({ ...fields, ...place })),
})
const gap = (sec: number): Step => ({ sec, nth: 0, build: (place) => buildGapFound(place) })
const complete = (sec: number): Step => ({ sec, nth: 0, build: (place) => buildCurveCompleted(place) })
const migrate = (sec: number): Step => ({ sec, nth: 0, build: (place) => buildCurveMigrated(place) })
const inPool = (sec: number, sol: number, fields: Parameters<typeof buildPoolTraded>[0] = {}): Step => ({
  ...{ sec, nth: 0 },
  build: (place) => buildPoolTraded({ poolQuoteRaw: BigInt(Math.round(sol * 1e9)), ...fields, ...place }),
})

const other = { quoteMint: buildKey(0xc) }
const buys = (fill = 0.4, last: TradeFields = {}): readonly Step[] => [
  trade(-40, { sol: 4, fill: fill - 0.1 }),
  trade(-20, { sol: 4, fill: fill - 0.05 }),
  trade(0, { sol: 4, fill, ...last }),
]
const burst = [launch(-1800), ...buys()]
const migrated = [...burst, trade(600, { sol: 60, fill: 1 }), complete(600), migrate(620)]

/**
 * The raw tokens that are left after a sale. `percent` of the tokens for sale and `more` further tokens are
 * sold.
 */
const left = (percent: bigint, more = 0n): bigint => forSaleRaw - (forSaleRaw * percent) / 100n - more
/** A price that does not follow the curve formula, in lamports per thousand raw tokens. */
const mayhem = (lamports: bigint) => ({ isMayhem: true, virtualQuoteRaw: lamports, virtualTokenRaw: 1000n })

const zeros: Hex = `0x${'00'.repeat(32)}`
const incinerator: Hex = '0x003390728d34116079bdc911bfff00dbd44d2ecdccf79ca6e10038e100000000'

const signals: readonly Scene[] = [
  { name: 'five minutes old', steps: [launch(-300), ...buys()] },
  { name: 'a second younger', steps: [launch(-299), ...buys()] },
  { name: 'four hours old', steps: [launch(-14_400), ...buys()] },
  { name: 'a second older', steps: [launch(-14_401), ...buys()] },
  { name: 'ten SOL', steps: [launch(-900), trade(-30, { sol: 6 }), trade(0, { sol: 4 })] },
  { name: 'a lamport less', steps: [launch(-900), trade(-30, { sol: 6 }), trade(0, { quoteRaw: 3_999_999_999n })] },
  { name: 'a quarter sold', steps: [launch(-900), ...buys(0.4, { realTokenRaw: left(25n) })] },
  { name: 'less by one', steps: [launch(-900), ...buys(0.4, { realTokenRaw: left(25n, -1n) })] },
  { name: '55 % sold', steps: [launch(-900), ...buys(0.4, { realTokenRaw: left(55n) })] },
  { name: 'more by one', steps: [launch(-900), ...buys(0.4, { realTokenRaw: left(55n, 1n) })] },
  { name: 'a buy a minute before', steps: [launch(-900), trade(-60, { sol: 6 }), trade(0, { sol: 6 })] },
  { name: 'a buy 59 s before', steps: [launch(-900), trade(-59, { sol: 6 }), trade(0, { sol: 6 })] },
  { name: 'the last buy 15 s before', steps: [launch(-300), trade(-15, { sol: 12 }), trade(0, { sol: -1 })] },
  { name: 'the last buy 14 s before', steps: [launch(-300), trade(-14, { sol: 12 }), trade(0, { sol: -1 })] },
  {
    name: 'sold as much as bought in the last 15 s',
    steps: [launch(-300), trade(-30, { sol: 15 }), trade(-10, { sol: 5 }), trade(0, { sol: -5 }), trade(1, { sol: 5 })],
  },
  { name: 'later slots of the second', steps: [...burst, trade(0, { sol: -3, fill: 0.37 }, 1), trade(5, { sol: 1 })] },
  {
    name: 'in the second slot of the second',
    steps: [launch(-900), trade(-30, { sol: 5 }), trade(0, { sol: 4.9 }), trade(0, { sol: 2, fill: 0.43 }, 1)],
  },
  { name: 'again while unscored', steps: [...burst, ...againAt(1200)] },
  { name: 'again when scored', steps: [...burst, ...againAt(1201)] },
  { name: 'complete in the signal slot', steps: [launch(-900), ...buys(), trade(0, { sol: 40, fill: 1 })] },
  {
    name: 'against another coin',
    steps: [launch(-900, other), ...[-20, -10, 0].map((sec) => trade(sec, { sol: 4, ...other })), complete(60)],
  },
  { name: 'found, launch known', steps: [find(-700, 600), ...buys()] },
  { name: 'found, launch unknown', steps: [find(-700, null), ...buys(), complete(200), migrate(210)] },
  { name: 'late trades', steps: [launch(-900), lateTrade(-5, { sol: 9 }), gap(0), trade(0, { sol: 9 })] },
]

function againAt(sec: number): readonly Step[] {
  return [trade(sec - 30, { sol: 6, fill: 0.38 }), trade(sec, { sol: 6, fill: 0.41 })]
}

const outcomes: readonly Scene[] = [
  { name: 'a trade at the end', steps: [...burst, trade(1200, { sol: 5, fill: 0.5 })] },
  { name: 'a trade after the end', steps: [...burst, trade(1201, { sol: 5, fill: 0.5 })] },
  { name: 'complete at the end', steps: [...burst, trade(1200, { sol: 45, fill: 1 })] },
  { name: 'complete after the end', steps: [...burst, trade(1201, { sol: 45, fill: 1 })] },
  { name: 'complete by word', steps: [...burst, trade(100, { sol: 3, fill: 0.9 }), complete(130), migrate(140)] },
  { name: 'complete by migration', steps: [...burst, trade(30, { sol: 3, fill: 0.9 }), migrate(500)] },
  { name: 'no trade after it', steps: burst },
  { name: 'five SOL from the high', steps: [...burst, trade(10, { sol: 1, fill: 0.42 }), trade(20, { sol: -5 })] },
  {
    name: 'a lamport less from it',
    steps: [...burst, trade(20, { quoteRaw: -4_999_999_999n }), trade(40, { sol: 1 })],
  },
  {
    name: 'two SOL from it',
    steps: [...burst, trade(20, { sol: -2, fill: 0.39 }), trade(700, { sol: 1, fill: 0.41 })],
  },
  { name: 'a minute to the next high', steps: [...burst, ...highs([60, 120, 181, 300])] },
  { name: 'a minute to the end', steps: [...burst, ...highs([1140])] },
  { name: 'trades when time runs out', steps: [...burst, ...highs([300, 600])] },
  { name: 'trades after time ran out', steps: [...burst, ...highs([301, 601])] },
  { name: 'to 85 %', steps: mayhemPath([850]) },
  { name: 'to just above it', steps: mayhemPath([851, 900]) },
  { name: 'to 150 % and 200 %', steps: mayhemPath([1499, 1500, 1999, 2000]) },
  { name: 'to 80 % of the high, and the stop', steps: mayhemPath([1050, 840]) },
  { name: 'to 80 % of the high', steps: mayhemPath([1250, 1001, 1000]) },
  {
    name: 'a high each minute, to the end',
    steps: [...burst, ...highs(Array.from({ length: 19 }, (_, minute) => 60 * minute + 60))],
  },
  {
    name: 'off the formula at first',
    steps: [launch(-1800), ...buys().slice(0, 2), trade(0, { sol: 2, ...mayhem(9n) }), trade(0, { sol: 4 })],
  },
  {
    name: 'off the formula at last',
    steps: [...burst, trade(100, { fill: 0.5 }), trade(200, { fill: 0.5, ...mayhem(9n) })],
  },
]

function highs(seconds: readonly number[]): readonly Step[] {
  return seconds.map((sec, index) => trade(sec, { sol: 0.5, fill: 0.42 + index / 50 }))
}

/** `prices` are in thousandths of the signal price, ten seconds apart. */
function mayhemPath(prices: readonly number[]): readonly Step[] {
  const start = [launch(-1800, { isMayhem: true }), ...buys(0.4, mayhem(1000n))]
  return [...start, ...prices.map((price, index) => trade(10 * index + 10, { sol: 0.1, ...mayhem(BigInt(price)) }))]
}

const graduations: readonly Scene[] = [
  { name: 'marks met to the second', steps: [...migrated, inPool(680, 90), inPool(920, 100), inPool(1520, 60)] },
  { name: 'marks missed by a second', steps: [...migrated, inPool(681, 90), inPool(921, 100), inPool(1521, 60)] },
  { name: 'no trade in the pool', steps: migrated },
  {
    name: 'the rest of a buy',
    steps: [...burst, trade(600, { sol: 60, fill: 1 }), inPool(600, 99, { isBeforeMigration: true }), migrate(601)],
  },
  {
    name: 'the rest of a buy behind the migration',
    steps: [...burst, trade(600, { sol: 60, fill: 1 }), migrate(601), inPool(602, 99, { isBeforeMigration: true })],
  },
  {
    name: 'a late migration',
    steps: [...burst, trade(60, { fill: 1 }), migrate(60 + 55 * 60), inPool(60 + 56 * 60, 80)],
  },
  { name: 'a migration after the end', steps: [...burst, trade(60, { fill: 1 }), migrate(62 + 65 * 60)] },
  { name: 'a path of two hours', steps: [launch(-7200), trade(-3000, { fill: 0.2 }), ...buys(), complete(0)] },
  { name: 'a path of whole minutes', steps: [launch(-600), trade(-540, { fill: 0.2 }), complete(0)] },
]

const anatomies: readonly Scene[] = [
  {
    name: 'holders that are none',
    steps: burst,
    holders: [
      [testCurve, 700_000_000_000_000n],
      [testPool, 3_000_000_000_000n],
      [zeros, 9_000_000_000_000n],
      [incinerator, 8_000_000_000_000n],
      [buildKey(1), 5_000_000_000_000n],
      [buildKey(2), 6_000_000_000_000n],
      [buildKey(1), 4_000_000_000_000n],
    ],
  },
  {
    name: 'more than ten holders, and a pool in time',
    steps: [...burst, trade(2, { fill: 1 }), migrate(5)],
    holders: [[testPool, 200_000_000_000_000n], ...twelveHolders()],
  },
  {
    name: 'a pool too late',
    steps: [...burst, trade(2, { fill: 1 }), migrate(6)],
    holders: [[testPool, 200_000_000_000_000n], ...twelveHolders()],
  },
  {
    name: 'bundles and one wallet twice',
    steps: [
      launch(-1800),
      ...[3, 3, 3].map((sol) => trade(-10, { sol, trader: buildKey(7) })),
      trade(-10, { sol: 2 }, 1),
      trade(0, { sol: 2, trader: buildKey(7) }),
    ],
  },
]

function twelveHolders(): readonly (readonly [Hex, bigint])[] {
  return Array.from(
    { length: 12 },
    (_, index) => [buildKey(20 + index), BigInt(12 - index) * 1_000_000_000_000n] as const,
  )
}

export const scenes: readonly Scene[] = [...signals, ...outcomes, ...graduations, ...anatomies]
