/** The curve of a mint of chain B and its canonical pool, from its facts. Nobody can pull what is in them. */
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { hourMs, type Line, minuteMs, type Price, secondMs } from './lines.ts'

type Data<Type extends ChainBFact['type']> = Extract<ChainBFact, { type: Type }>['data']

const idleLifeMs = 24 * hourMs
const graduatedLifeMs = 65 * minuteMs
const forSaleRaw = 793_100_000_000_000

type Coined = Price & Readonly<{ coin: number }>

export function linesOfChainB(facts: readonly ChainBFact[]): readonly Line[] {
  const onTime = facts.filter(({ data }) => !('lateAtMs' in data) || data.lateAtMs === null)
  const opening = onTime.find(({ type }) => type === 'CurveLaunched' || type === 'CurveFound')
  if (opening?.type !== 'CurveLaunched' && opening?.type !== 'CurveFound') return []
  if (opening.data.quoteMint !== null) return []
  const { virtualQuoteRaw, realQuoteRaw, curve, blockAtMs } = opening.data
  const supplyRaw = opening.data.supplyRaw === null ? null : Number(opening.data.supplyRaw)
  const phantom = Number(virtualQuoteRaw - realQuoteRaw) / 1e9
  const migration = onTime.find(({ type }) => type === 'CurveMigrated')?.data as Data<'CurveMigrated'> | undefined
  const life = lifeOf(onTime)
  const curvePrices = onTime.flatMap((fact) => curvePriceOf(fact, phantom) ?? [])
  const openedAtMs = opening.type === 'CurveFound' ? opening.data.launchAtMs : blockAtMs
  const base = { ...life, supplyRaw, changes: [] }
  const curveLine: Line = {
    ...{ ...base, market: curve, source: 'curve', openedAtMs, prices: curvePrices, depthAt: depthOf(curvePrices) },
    ends: migration === undefined ? null : { atMs: migration.blockAtMs, next: migration.pool },
  }
  if (migration === undefined || migration.quoteMint !== null) return [curveLine]
  const prices = onTime.flatMap((fact) => poolPriceOf(fact, migration) ?? [])
  const { pool: market, blockAtMs: poolAtMs } = migration
  const pool = { ...base, market, openedAtMs: poolAtMs, prices, depthAt: depthOf(prices), ends: null } as const
  return [curveLine, { ...pool, source: 'pool' }]
}

/** Of a mint, so its curve and its pool are forgotten together. */
function lifeOf(facts: readonly ChainBFact[]): Pick<Line, 'forgottenAtMs' | 'livens' | 'finds'> {
  const livens = facts.map(({ data }) => data.blockAtMs)
  const complete = facts.find((fact) => completes(fact))?.data.blockAtMs ?? Number.POSITIVE_INFINITY
  const forgottenAtMs = (atMs: number) =>
    atMs >= complete ? complete + graduatedLifeMs : (livens.findLast((each) => each <= atMs) ?? atMs) + idleLifeMs
  const finds = facts.flatMap(({ type, data }) => (type === 'CurveFound' ? [data.blockAtMs] : []))
  return { livens, finds, forgottenAtMs }
}

const completes = ({ type, data }: ChainBFact): boolean =>
  type === 'CurveCompleted' || type === 'CurveMigrated' || (type === 'CurveTraded' && data.realTokenRaw === 0n)

function curvePriceOf({ type, data }: ChainBFact, phantom: number): Coined | null {
  if (type !== 'CurveLaunched' && type !== 'CurveFound' && type !== 'CurveTraded') return null
  const [quote, tokens] = [Number(data.virtualQuoteRaw) / 1e9, Number(data.virtualTokenRaw)]
  const fill = 1 - Number(data.realTokenRaw) / forSaleRaw
  return { atMs: data.blockAtMs, px: quote / tokens, fill, coin: quote - phantom }
}

function poolPriceOf({ type, data }: ChainBFact, { blockAtMs: sinceMs }: Data<'CurveMigrated'>): Coined | null {
  if (type !== 'CurveMigrated' && !(type === 'PoolTraded' && !data.isBeforeMigration)) return null
  if (data.blockAtMs < sinceMs) return null
  const coin = Number(data.poolQuoteRaw) / 1e9
  return { atMs: data.blockAtMs, px: coin / Number(data.poolTokenRaw), fill: null, coin }
}

const depthOf = (prices: readonly Coined[]) => (atMs: number) =>
  prices.findLast((price) => price.atMs <= Math.floor(atMs / secondMs) * secondMs)?.coin ?? 0
