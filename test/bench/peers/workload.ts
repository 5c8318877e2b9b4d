/**
 * A workload like that of the other stream processors, built from its description. It has the same form as
 * the original, but other random numbers. The workload depends only on the seed.
 */
import { partitionOf } from '../../../infra/log/partition-of.ts'
import { createRandom, type Random } from '../../../ingest/simulated/random.ts'
import { tickMs } from './job.ts'
import { encodePeerSwap, type PeerSwap } from './swap-record.ts'

export type Workload = Readonly<{
  swaps: number
  /** Per second of event time. */
  perSecond: number
  pools: number
  /** The number of pools with a burst. */
  bursts: number
  /**
   * The time for which ticks continue after the last swap, in milliseconds. The score of a burst is due half
   * an hour after the burst.
   */
  tailMs: number
  seed: number
}>

export const partitionCount = 4
export const startAtMs = Date.UTC(2026, 0, 1)
const tickKey = 'tick'
const endingMs = 45_000
const blockMs = 2000
const senderCount = 50_000

const durationMs = ({ swaps, perSecond }: Workload): number => (swaps * 1000) / perSecond

type Pool = { name: string; token: string; createdAtMs: number; sizeEth: number; price: number; partition: number }

/** A planned swap, in a burst or not. */
type Planned = Readonly<{ atMs: number; pool: Pool; isBuy: boolean; eth: number; riseMax: number }>

export type PeerRecord = Readonly<{ atMs: number; partition: number; key: string; value: Buffer }>

/**
 * Returns all records in order of event time. Besides the swaps, each partition gets a tick every 100 ms. A
 * tick comes before the swaps of the same instant.
 */
export function* recordsOf(workload: Workload, swaps: Iterable<PeerSwap> = swapsOf(workload)): Generator<PeerRecord> {
  let tickAtMs = startAtMs
  for (const swap of swaps) {
    for (; tickAtMs <= swap.eventAtMs; tickAtMs += tickMs) yield* ticksAt(tickAtMs)
    const { eventAtMs: atMs, pool: key } = swap
    yield { atMs, partition: partitionOf(key, partitionCount), key, value: encodePeerSwap(swap) }
  }
  const endAtMs = lastTickAtMs(workload)
  for (; tickAtMs <= endAtMs; tickAtMs += tickMs) yield* ticksAt(tickAtMs)
}

export const lastTickAtMs = (workload: Workload): number => startAtMs + durationMs(workload) + workload.tailMs

function* ticksAt(atMs: number): Generator<PeerRecord> {
  const value = encodePeerSwap({ ...emptySwap, eventAtMs: atMs })
  for (let partition = 0; partition < partitionCount; partition++) yield { atMs, partition, key: tickKey, value }
}

const emptySwap: Omit<PeerSwap, 'eventAtMs'> = {
  pool: tickKey,
  token: '',
  sender: '',
  buy: false,
  ethWei: 0n,
  tokenRaw: 0,
  block: 0,
  poolCreatedAtMs: 0,
}

/** All swaps in order of event time. */
export function* swapsOf(workload: Workload): Generator<PeerSwap> {
  const random = createRandom(workload.seed)
  const pools = createPools(workload, random)
  const bursts = planBursts(workload, pools, random)
  const senders = Array.from({ length: senderCount }, () => hexOf(random, 40))
  const plainCount = workload.swaps - bursts.length
  let next = 0
  for (let index = 0; index < plainCount; index++) {
    const atMs = startAtMs + Math.floor(((index + random.unit()) * 1000) / workload.perSecond)
    for (let burst = bursts[next]; burst && burst.atMs <= atMs; burst = bursts[++next])
      yield trade(burst, senders, random)
    yield trade(plainSwap(pools, atMs, random), senders, random)
  }
  for (const burst of bursts.slice(next)) yield trade(burst, senders, random)
}

function plainSwap(pools: readonly Pool[], atMs: number, random: Random): Planned {
  for (;;) {
    const pool = pools[Math.floor(pools.length * random.unit() ** 3)] as Pool
    if (pool.createdAtMs > atMs) continue
    return { atMs, pool, isBuy: random.chance(0.495), eth: random.exponential(pool.sizeEth), riseMax: 0.003 }
  }
}

function trade({ atMs, pool, isBuy, eth, riseMax }: Planned, senders: readonly string[], random: Random): PeerSwap {
  pool.price *= isBuy ? 1 + riseMax * random.unit() : 1 - 0.003 * random.unit()
  const ethWei = BigInt(Math.max(1, Math.floor(eth * 1e18)))
  return {
    pool: pool.name,
    token: pool.token,
    sender: senders[random.whole(0, senders.length - 1)] as string,
    buy: isBuy,
    ethWei,
    tokenRaw: (Number(ethWei) / pool.price) * (1 + 0.002 * (random.unit() - 0.5)),
    block: 20_000_000 + Math.floor((atMs - startAtMs) / blockMs),
    eventAtMs: atMs,
    poolCreatedAtMs: pool.createdAtMs,
  }
}

/**
 * Creates pools. Six in ten are up to eight hours old, and the others open during the stream. Pools with many
 * trades have small trades, so that these pools do not meet the job's rules by chance.
 */
function createPools(workload: Workload, random: Random): readonly Pool[] {
  return Array.from({ length: workload.pools }, (_, index) => {
    const share = Math.cbrt((index + 1) / workload.pools) - Math.cbrt(index / workload.pools)
    const isOld = random.chance(0.6)
    const ageMs = isOld ? random.unit() * 8 * 3_600_000 : -random.unit() * durationMs(workload)
    const name = hexOf(random, 64)
    return {
      name,
      token: hexOf(random, 40),
      createdAtMs: index === 0 ? startAtMs - 1 : Math.floor(startAtMs - ageMs),
      sizeEth: Math.min(0.02, 0.1 / Math.sqrt(share * workload.perSecond * 60)),
      price: 10 ** (-9 + 4 * random.unit()),
      partition: partitionOf(name, partitionCount),
    }
  })
}

/**
 * Plans bursts in pools with few trades. At the end, each partition gets one more burst. The outputs of this
 * last burst show that the partition is complete.
 */
function planBursts(workload: Workload, pools: readonly Pool[], random: Random): readonly Planned[] {
  const endAtMs = startAtMs + durationMs(workload)
  const calm = pools.slice(Math.min(200, pools.length >> 1))
  const planned: Planned[] = []
  const used = new Set<Pool>()
  const plan = (pool: Pool, fromMs: number, burst: Readonly<{ buys: number; spanMs: number; meanEth: number }>) => {
    used.add(pool)
    for (let swap = 0; swap < burst.buys; swap++) {
      const eth = burst.meanEth * (0.3 + 1.4 * random.unit())
      const atMs = fromMs + random.whole(0, burst.spanMs - 1)
      planned.push({ atMs, pool, isBuy: random.chance(0.93), eth, riseMax: 0.02 })
    }
  }
  const pickFrom = (isMeant: (pool: Pool) => boolean): Pool => {
    for (;;) {
      const pool = calm[random.whole(0, calm.length - 1)] as Pool
      if (!used.has(pool) && isMeant(pool)) return pool
    }
  }
  const latestMs = Math.max(1, endAtMs - startAtMs - endingMs)
  for (let burst = 0; burst < workload.bursts; burst++) {
    const fromMs = startAtMs + Math.floor(random.unit() * latestMs)
    const pool = pickFrom(({ createdAtMs }) => createdAtMs < fromMs)
    const spanMs = random.whole(5000, 39_999)
    plan(pool, fromMs, { buys: random.whole(6, 40), spanMs, meanEth: 0.03 + 0.17 * random.unit() })
  }
  const isGrown = ({ createdAtMs }: Pool) => createdAtMs < startAtMs - 600_000 && createdAtMs > startAtMs - 14_400_000
  for (let partition = 0; partition < partitionCount; partition++) {
    const pool = pickFrom((its) => its.partition === partition && isGrown(its))
    plan(pool, endAtMs - 40_000, { buys: 20, spanMs: 38_000, meanEth: 0.3 })
  }
  return planned.sort((left, right) => left.atMs - right.atMs)
}

function hexOf(random: Random, digits: number): string {
  let text = '0x'
  for (let at = 0; at < digits; at += 8) text += random.whole(0, 0xffffffff).toString(16).padStart(8, '0')
  return text
}
