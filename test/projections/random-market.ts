/**
 * Generates the derived records of random trades with reorgs, from a seed. Rows are published and grow, and
 * some are restated, moved or withdrawn.
 */
import { type ChainADerived, lpClasses, rowKeyOf, tiers } from '../../schemas/chain-a/derived.ts'
import type { Tick } from '../../schemas/tick.ts'
import { createRandom } from '../support/chain-a-node/random.ts'
import {
  address,
  buildBurst,
  buildBuyers,
  buildCurve,
  buildLp,
  buildMinute,
  buildOutcome,
  buildPoolOpened,
  buildProfile,
  noonMs,
  poolId,
  type TokenRecord,
} from './derived-log.ts'

const minuteMs = 60_000
export const randomPoolCount = 8

export type RandomTick = Readonly<{ atMs: number; records: readonly TokenRecord[]; fields: Partial<Tick> }>

/**
 * Returns a function that returns the next tick at each call. Some ticks are reorgs, and some come after
 * minutes without ticks.
 */
export function createRandomMarket(seed: number): () => RandomTick {
  const chance = createRandom(seed)
  const below = (bound: number) => Math.floor(chance() * bound)
  const living = new Map<string, ChainADerived>()
  let atMs = noonMs

  const publish = (record: ChainADerived): TokenRecord => {
    living.set(textOf(record), record)
    return [address(Number(rowKeyOf(record).pool)), record]
  }
  const withdraw = (record: ChainADerived): TokenRecord => {
    living.delete(textOf(record))
    return [address(Number(rowKeyOf(record).pool)), { type: 'Withdrawn', data: rowKeyOf(record) }]
  }
  const restate = (record: ChainADerived, supersedesAtMs: number | null): readonly TokenRecord[] => [
    [address(Number(rowKeyOf(record).pool)), { type: 'Restated', data: { ...rowKeyOf(record), supersedesAtMs } }],
    publish(record),
  ]

  const draw = (): ChainADerived => {
    const pool = poolId(1 + below(randomPoolCount))
    const bursts = [...living.values()].filter((record) => record.type === 'Burst')
    const { pool: fired, tier, atMs: firedAtMs } = (bursts[below(bursts.length)] ?? buildBurst()).data
    const burstKey = { pool: fired, tier, atMs: firedAtMs }
    const wallets = Array.from({ length: 1 + below(4) }, () => address(100 + below(12)))
    switch (below(9)) {
      case 0:
        return buildPoolOpened({ pool, createdAtMs: atMs - below(minuteMs) })
      case 1:
        return buildBurst({ pool, tier: tiers[below(tiers.length)] ?? 'main', atMs, buys: below(50) })
      case 4:
        return buildBuyers({ ...burstKey, wallets })
      case 6:
        return buildLp({ ...burstKey, class: lpClasses[below(3)] ?? 'held' })
      case 7:
        return buildProfile({ pool, createdAtMs: noonMs, checkedAtMs: atMs, class: lpClasses[below(4)] ?? 'held' })
      case 8:
        return buildCurve({
          curve: address(Number(pool)),
          launchAtMs: noonMs,
          readAtMs: atMs,
          completed: below(4) === 0,
        })
      case 5:
        return buildOutcome({ ...burstKey, ret30m: chance() })
      default:
        return buildMinute({ pool, minuteAtMs: atMs - (atMs % minuteMs), buys: below(100), buyWei: BigInt(below(1e9)) })
    }
  }

  /** Withdraws, moves or restates rows of the last 30 seconds, as a new branch does. */
  const reorg = (): readonly TokenRecord[] => {
    const left = [...living.values()].filter((record) => rowKeyOf(record).atMs > atMs - 30_000)
    const fates = left.map((record) => [record, below(3)] as const)
    const gone = fates.filter(([, fate]) => fate === 0).map(([record]) => withdraw(record))
    const changed = fates.flatMap(([record, fate]) => {
      if (record.type === 'Burst' && fate === 1) {
        const { data } = record
        return [withdraw(record), ...restate({ ...record, data: { ...data, atMs: data.atMs + 1000 } }, data.atMs)]
      }
      const isOther = fate === 2 && (record.type === 'Burst' || record.type === 'PoolMinute')
      return isOther ? restate({ ...record, data: { ...record.data, buys: below(90) } } as ChainADerived, null) : []
    })
    return [...gone, ...changed]
  }

  return () => {
    atMs += below(12) === 0 ? below(20 * minuteMs) : 200 + below(4000)
    if (below(8) === 0) return { atMs, records: reorg(), fields: { revertedFrom: 1, ethUsd: 1900 + below(200) } }
    return { atMs, records: Array.from({ length: below(4) }, () => publish(draw())), fields: {} }
  }
}

const textOf = (record: ChainADerived): string => JSON.stringify(rowKeyOf(record))
