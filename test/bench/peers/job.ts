/**
 * The benchmark job on our runtime, in a stage with one processor. At a swap with time t, the long window has
 * the pool's swaps after t - 60 s up to this swap. The short window has those after t - 15 s. The two rules
 * are checked if the pool is 5 min to 6 h old, and if the short window has a buy and a net inflow. Rule
 * `main` fires (publishes an output) at a net inflow of 1 ETH and 12 buys in 60 s. Rule `lite` fires at 0.5
 * ETH and 8 buys. Each rule fires at most one time per pool. A second output, the score, covers the swaps up
 * to 30 min later, the exact end included.
 */
import type { ViewedBytes } from '../../../infra/codec/avro/viewed-bytes.ts'
import type { SchemaCodec } from '../../../infra/codec/schema-codec.ts'
import type { Processor, ProcessorContext } from '../../../processors/processor.ts'
import type { StageDependencies } from '../../../processors/runtime/task.ts'
import type { RowKey, Stage } from '../../../schemas/stage.ts'
import { isTickAt, PeerSwapView, tickAtMs, weiOf, weiUnit } from './swap-record.ts'

const longMs = 60_000
const shortMs = 15_000
const scoreMs = 1_800_000
const ageMinMs = 300_000
const ageMaxMs = 21_600_000
const discount = 0.02
export const tickMs = 100

const tiers = [
  { name: 'main', netWei: 10n ** 18n, netAbout: 1e18, buys: 12 },
  { name: 'lite', netWei: 5n * 10n ** 17n, netAbout: 5e17, buys: 8 },
] as const
type Tier = (typeof tiers)[number]

type Fired = { tier: Tier['name']; atMs: number; price: number; maxPrice: number; isScored: boolean }

/** One of the two time windows over the ring buffer of swaps: the number of its first swap, and its sums. */
type Window = { first: number; high: number; low: number; buys: number }

type Pool = {
  /**
   * A ring buffer of swaps. Each swap takes three numbers: the time, and the high and low part of its wei
   * amount. The amount is negative for a sell. The size of the ring in swaps is a power of two.
   */
  ring: Float64Array
  /** The number of all swaps so far. */
  count: number
  long: Window
  short: Window
  lastPrice: number
  fired: Fired[]
}

const swapNumbers = 3
const ringSizeMin = 8

/** The job has no lookups and no reorgs. */
export type PeerTypes = Readonly<{
  fact: Readonly<{ type: 'Swap'; data: PeerSwapView }>
  answer: never
  derived: Readonly<{ type: 'PeerOutput'; data: PeerOutput }>
  key: RowKey
}>
type Context = ProcessorContext<PeerTypes>

export const peerBursts: Processor<Pool, PeerTypes> = {
  name: 'peer-bursts',
  initialState: () => ({
    ring: new Float64Array(ringSizeMin * swapNumbers),
    count: 0,
    long: { first: 0, high: 0, low: 0, buys: 0 },
    short: { first: 0, high: 0, low: 0, buys: 0 },
    lastPrice: 0,
    fired: [],
  }),
  onFact(pool, fact, context) {
    const swap = fact.data
    const { weiHigh, weiLow, blockAtMs: atMs } = swap
    const price = (weiHigh * weiUnit + weiLow) / swap.tokenRaw
    pool.lastPrice = price
    for (const fired of pool.fired) if (!fired.isScored && price > fired.maxPrice) fired.maxPrice = price
    if (swap.buy) addSwap(pool, { atMs, high: weiHigh, low: weiLow })
    else addSwap(pool, { atMs, high: -weiHigh, low: -weiLow })
    judge(pool, { swap, price, context })
  },
  onWake(pool, dueAtMs, context) {
    for (const fired of pool.fired) {
      if (fired.isScored || fired.atMs + scoreMs > dueAtMs) continue
      fired.isScored = true
      const { tier, atMs: at, price, maxPrice } = fired
      const ret = pool.lastPrice / price - 1 - discount
      const peak = maxPrice / price - 1 - discount
      emit(context, { k: 'score', tier, pool: context.token, at, ret, peak })
    }
  },
  /** The state of a pool is never dropped, because the job must know which tiers have already fired. */
  isEmpty: () => false,
}

type Judged = Readonly<{ swap: PeerSwapView; price: number; context: Context }>

function judge(pool: Pool, { swap, price, context }: Judged): void {
  const { long, short } = pool
  const atMs = swap.blockAtMs
  const ageMs = atMs - swap.poolCreatedAtMs
  if (pool.fired.length === tiers.length || ageMs < ageMinMs || ageMs > ageMaxMs) return
  if (short.buys < 1 || short.high * weiUnit + short.low <= 0) return
  for (const tier of tiers) {
    if (long.buys < tier.buys || !reaches(long, tier) || pool.fired.some((fired) => fired.tier === tier.name)) continue
    pool.fired.push({ tier: tier.name, atMs, price, maxPrice: price, isScored: false })
    const net = String(weiOf(long.high, long.low))
    emit(context, { k: 'fire', tier: tier.name, pool: context.token, at: atMs, net, buys: long.buys, price })
    context.wakeAt(atMs + scoreMs)
  }
}

/**
 * Returns whether the window's net inflow reaches the limit of the tier. The first check uses floating-point
 * numbers, so that most calls need no big integer. The second check is exact.
 */
function reaches({ high, low }: Window, { netWei, netAbout }: Tier): boolean {
  return high * weiUnit + low >= netAbout * 0.999 && weiOf(high, low) >= netWei
}

function addSwap(pool: Pool, { atMs, high, low }: Readonly<{ atMs: number; high: number; low: number }>): void {
  const { long, short } = pool
  moveOn(pool, long, atMs - longMs)
  moveOn(pool, short, atMs - shortMs)
  if ((pool.count - long.first) * swapNumbers === pool.ring.length) grow(pool)
  const at = placeOf(pool.ring, pool.count)
  pool.ring[at] = atMs
  pool.ring[at + 1] = high
  pool.ring[at + 2] = low
  pool.count += 1
  add(long, high, low)
  add(short, high, low)
}

function add(window: Window, high: number, low: number): void {
  window.high += high
  window.low += low
  if (high > 0 || low > 0) window.buys += 1
}

/** Removes from the window the swaps at or before `untilMs`. */
function moveOn({ ring, count }: Pool, window: Window, untilMs: number): void {
  while (window.first < count) {
    const at = placeOf(ring, window.first)
    if ((ring[at] as number) > untilMs) return
    const [high, low] = [ring[at + 1] as number, ring[at + 2] as number]
    window.high -= high
    window.low -= low
    if (high > 0 || low > 0) window.buys -= 1
    window.first += 1
  }
}

const placeOf = (ring: Float64Array, index: number): number => (index & (ring.length / swapNumbers - 1)) * swapNumbers

function grow(pool: Pool): void {
  const ring = new Float64Array(pool.ring.length * 2)
  for (let index = pool.long.first; index < pool.count; index++) {
    const from = placeOf(pool.ring, index)
    ring.set(pool.ring.subarray(from, from + swapNumbers), placeOf(ring, index))
  }
  pool.ring = ring
}

/** An output of the job. As JSON, it has the format of the other stream processors' outputs. */
export type PeerOutput = Readonly<
  | { k: 'fire'; tier: string; pool: string; at: number; net: string; buys: number; price: number }
  | { k: 'score'; tier: string; pool: string; at: number; ret: number; peak: number }
>

const emit = (context: Context, data: PeerOutput): void => context.emit({ type: 'PeerOutput', data })

type PeerCodecs = Pick<StageDependencies, 'factCodec' | 'derivedCodec'>

const rulesVersion = 'peers-1'

/**
 * Decodes swaps and ticks. A tick comes before the swaps of the same instant, so it closes the millisecond
 * before. `onFirst` is called at the first record.
 */
export function createPeerCodecs(onFirst: () => void): PeerCodecs {
  let isBegun = false
  const decodeAt = (source: ViewedBytes, start: number) => {
    if (!isBegun) onFirst()
    isBegun = true
    if (!isTickAt(source, start)) return { type: 'Swap', data: new PeerSwapView(source, start) }
    return { type: 'Tick', data: tickOf(tickAtMs(source, start)) }
  }
  const factCodec = { decodeAt } as unknown as SchemaCodec
  const derivedCodec = {
    encode: (type: string, data: object) =>
      Buffer.from(JSON.stringify(type === 'Tick' ? { ...data, k: 'tick' } : data)),
    decodeAt: ({ bytes }: ViewedBytes, start: number, end: number) => {
      const data = JSON.parse(bytes.toString('utf8', start, end)) as Readonly<{ k: string }>
      return { type: data.k === 'tick' ? 'Tick' : 'PeerOutput', data }
    },
  } as unknown as SchemaCodec
  return { factCodec, derivedCodec } as unknown as PeerCodecs
}

const tickOf = (atMs: number) => ({
  seq: atMs / tickMs,
  knownAtMs: atMs,
  blockNumber: atMs - 1,
  blockHash: '0x',
  blockAtMs: atMs,
  ethUsd: null,
  ethUsdAtMs: null,
  rulesVersion,
  revertedFrom: null,
  source: 'simulated',
})

/** The block number is the event time in milliseconds, because records are ordered only by event time. */
export const peerStageOn = (topics: Pick<Stage, 'name' | 'factTopic' | 'derivedTopic'>): Stage<PeerTypes> => ({
  ...topics,
  rulesVersion,
  isAnswer: () => false,
  blockNumberOf: ({ data }) => data.blockAtMs,
  blockOf: ({ data }) => ({ number: data.blockAtMs, hash: '0x', atMs: data.blockAtMs }),
  rowKeyOf: ({ data }) => ({ recordType: data.k, atMs: data.at }),
  rowNameOf: ({ recordType }) => recordType,
  movableTypes: [],
})
