import { type ChainBFact, isAnswer } from '../../../../schemas/chain-b/facts.ts'
import type { MintMinute } from '../../../../schemas/chain-b/mints.ts'
import { groupBy } from '../../group-by.ts'
import type { Rules } from '../chain-b/rules.ts'
import type { LoggedRecord } from '../chain-b/stories.ts'
import { linesOfChainB } from './chain-b.ts'
import { isFollowedAt, type Markets } from './lines.ts'
import { callRules } from './rules.ts'
import { keptMarkets } from './watch.ts'

type Priced = Readonly<{ atMs: number; lamports: bigint; px: number; fill: number | null }>

/** Counts the trades of each minute of each mint in the records of one partition. */
export function minutesIn(
  log: readonly LoggedRecord[],
  lives: Pick<Rules, 'idleLifeMs' | 'graduatedLifeMs'>,
): readonly Readonly<{ token: string; minute: MintMinute }>[] {
  const endMs = log.reduce((ms, { record }) => (record.type === 'Tick' ? record.data.blockAtMs : ms), 0)
  return [...groupBy(log, ({ key }) => key)].flatMap(([token, records]) => {
    const posts = records.flatMap(({ record }) =>
      record.type === 'Mentioned' ? [{ mention: record.data, knownIn: 0 }] : [],
    )
    const trades = lifesOf(records).flatMap((facts, index, all) => {
      const markets = keptMarkets({ lines: linesOfChainB(facts, lives), posts, rules: callRules })
      // Of the minute of a find, only the trades after it count.
      const foundIn = minuteAt(all[index + 1]?.[0]?.data.blockAtMs ?? Number.NaN)
      return pricedIn(facts, markets).filter(({ atMs }) => minuteAt(atMs) !== foundIn)
    })
    return [...groupBy(trades, ({ atMs }) => minuteAt(atMs))]
      .filter(([minute]) => (minute + 1) * 60_000 <= endMs)
      .map(([minute, its]) => ({ token, minute: minuteOf(minute, its) }))
  })
}

/** Splits the facts at each find of the curve, because what is known of a curve begins anew there. */
function lifesOf(records: readonly LoggedRecord[]): readonly (readonly ChainBFact[])[] {
  const lifes: ChainBFact[][] = [[]]
  for (const { record } of records) {
    if (record.type === 'Tick' || isAnswer(record)) continue
    if (record.type === 'CurveFound') lifes.push([])
    lifes.at(-1)?.push(record)
  }
  return lifes
}

function minuteOf(minute: number, trades: readonly Priced[]): MintMinute {
  const buys = trades.filter(({ lamports }) => lamports > 0n)
  const sells = trades.filter(({ lamports }) => lamports <= 0n)
  const sum = (its: readonly Priced[]) => its.reduce((total, { lamports }) => total + lamports, 0n)
  const last = trades.at(-1)
  return {
    ...{ minuteAtMs: minute * 60_000, buyLamports: sum(buys), sellLamports: -sum(sells) },
    ...{ buys: buys.length, sells: sells.length, lastPx: last?.px ?? Number.NaN, fill: last?.fill ?? null },
  }
}

/**
 * Returns the trades that set a price while the market was followed: those on the curve until its migration, then those
 * in the pool.
 */
function pricedIn(facts: readonly ChainBFact[], markets: Markets): readonly Priced[] {
  const migrated = facts.findIndex(({ type, data }) => type === 'CurveMigrated' && data.lateAtMs === null)
  return facts.flatMap((fact, index): readonly Priced[] => {
    const { blockAtMs: atMs } = fact.data
    const trade = migrated === -1 || index < migrated ? onCurve(fact) : inPool(fact)
    if (trade === null || !(trade.px > 0 && Number.isFinite(trade.px))) return []
    const line = markets.lines.find(({ source }) => source === (trade.fill === null ? 'pool' : 'curve'))
    if (line === undefined || !isFollowedAt(markets, line.market, atMs)) return []
    return line.ends === null || atMs <= line.ends.atMs ? [{ atMs, ...trade }] : []
  })
}

const minuteAt = (atMs: number): number => Math.floor(atMs / 60_000)

type Trade = Omit<Priced, 'atMs'>

function onCurve({ type, data }: ChainBFact): Trade | null {
  if (type !== 'CurveTraded' || data.lateAtMs !== null) return null
  const px = Number(data.virtualQuoteRaw) / 1e9 / Number(data.virtualTokenRaw)
  return { lamports: data.quoteRaw, px, fill: 1 - Number(data.realTokenRaw) / 793_100_000_000_000 }
}

function inPool({ type, data }: ChainBFact): Trade | null {
  if (type !== 'PoolTraded' || data.lateAtMs !== null || data.isBeforeMigration) return null
  return { lamports: data.quoteRaw, px: Number(data.poolQuoteRaw) / 1e9 / Number(data.poolTokenRaw), fill: null }
}
