/**
 * Finds when pools were pulled (their liquidity was taken out). The sources are the service's own derived
 * records: an empty profile of a pool, the outcome of a burst, or an exit of the trading desk. The recount is
 * not used.
 */
import { scan, type TypedPartition } from '../../../infra/log/scan.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import type { ChainADerived } from '../../../schemas/chain-a/derived.ts'
import type { ChainARecord } from '../../../schemas/chain-a/facts.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import type { Stage } from '../../../schemas/stage.ts'
import type { Tick } from '../../../schemas/tick.ts'
import type { Logged } from './derive/project.ts'

type Pull = Readonly<{ atMs: number; by: 'rug check' | 'burst outcome' | 'desk exit' }>
export type Told = Readonly<{ token: string; tickAtMs: number; record: ChainADerived }>

export type Pulls = Readonly<{
  /**
   * Returns the first pull of the market after the anchor (the start of a return) that leaves at most 0.2 of
   * the liquidity at the anchor.
   */
  pulledAtMs(market: string, anchorAtMs: number): Pull | null
  /** The derived records of tokens with a pull, in order. `tickAtMs` is the block time of the record's tick. */
  told: readonly Told[]
}>

const leftMax = 0.2

type Change = Readonly<{ atMs: number; liquidity: number }>

export async function pullsOf(world: Logged): Promise<Pulls> {
  const pulls = new Map<string, Pull[]>()
  const tokens = new Set<string>()
  const note = (token: string, market: string, pull: Pull) => {
    pulls.set(market, [...(pulls.get(market) ?? []), pull])
    tokens.add(token)
  }
  const signs = { side: 'derived', types: ['PoolProfile', 'BurstOutcome', 'DeskTrade'] } as const
  await readAll(world, signs, ({ token, record }) => {
    const { type, data } = record
    if (type === 'PoolProfile' && data.class === 'empty' && data.lpAdds > 0)
      note(token, data.pool, { atMs: data.checkedAtMs, by: 'rug check' })
    if (type === 'BurstOutcome' && data.rug !== null)
      note(token, data.pool, { atMs: data.atMs + (data.rug.atSec + 1) * 1000, by: 'burst outcome' })
    if (type === 'DeskTrade' && data.exit === 'rug')
      note(token, data.market, { atMs: data.closedAtMs, by: 'desk exit' })
  })
  const { changes, nextOf } = await changesOf(world, tokens)
  const types = ['Call', 'CallScored', 'DeskShadow', 'DeskTrade', 'BurstOutcome'] as const
  const told: Told[] = []
  await readAll(world, { side: 'derived', types, tokens }, (one) => told.push(one))
  const leftAt = (market: string, atMs: number) =>
    changes.get(market)?.findLast((change) => change.atMs <= atMs)?.liquidity ?? 0
  return {
    told,
    pulledAtMs(named, anchorAtMs) {
      const market = nextOf.get(named) ?? named
      const before = leftAt(market, anchorAtMs)
      // A burst's pull is measured from the liquidity at the burst's signal. The liquidity at the anchor may
      // be different, so the same pull may not count for the anchor.
      const isPulled = ({ atMs }: Pull) => atMs > anchorAtMs && leftAt(market, atMs) <= leftMax * 0.9 * before
      return (pulls.get(market) ?? []).filter(isPulled).sort((one, other) => one.atMs - other.atMs)[0] ?? null
    },
  }
}

type Reading = Readonly<{ side: 'facts' | 'derived'; types: readonly string[]; tokens?: ReadonlySet<string> }>

async function readAll({ log, registry }: Logged, reading: Reading, take: (told: Told) => void): Promise<void> {
  const stage = chainAStage as unknown as Stage
  const codecs = await createIngestCodecs(stage, registry)
  const topic = reading.side === 'facts' ? stage.factTopic : stage.derivedTopic
  const codec = codecs[reading.side]
  for (let partition = 0; partition < topic.partitionCount; partition++)
    await readPartition({ log, topic: topic.name, partition, codec }, reading, take)
}

/** Reads the wanted records of a partition. Each record belongs to the tick that follows it in the log. */
async function readPartition(
  source: TypedPartition,
  { types, tokens }: Reading,
  take: (told: Told) => void,
): Promise<void> {
  const waiting: Omit<Told, 'tickAtMs'>[] = []
  const isWanted = (type: string, token: string) => types.includes(type) && (tokens === undefined || tokens.has(token))
  await scan(source, 0, ({ key: token, value }) => {
    const type = (value && source.codec.typeOf(value)) ?? ''
    if (value !== null && isWanted(type, token))
      waiting.push({ token, record: source.codec.decode(value) as ChainADerived })
    if (value === null || type !== 'Tick') return undefined
    const { blockAtMs: tickAtMs } = source.codec.decode(value).data as Tick
    for (const each of waiting.splice(0)) take({ ...each, tickAtMs })
    return undefined
  })
}

/** The liquidity of each pool over time, and the pool in which each curve continues. */
async function changesOf(world: Logged, tokens: ReadonlySet<string>) {
  const changes = new Map<string, Change[]>()
  const nextOf = new Map<string, string>()
  const createdIn = new Map<string, string>()
  const types = ['LiquidityChanged', 'PoolCreated', 'CurveGraduated']
  await readAll(world, { side: 'facts', types, tokens }, ({ record }) => {
    const { type, data } = record as unknown as ChainARecord
    if (type === 'PoolCreated') createdIn.set(data.txHash, data.pool)
    if (type === 'CurveGraduated') nextOf.set(data.curve, createdIn.get(data.txHash) ?? data.curve)
    if (type !== 'LiquidityChanged') return
    const its = changes.get(data.pool) ?? []
    its.push({ atMs: data.blockAtMs, liquidity: (its.at(-1)?.liquidity ?? 0) + Number(data.liquidityDelta) })
    changes.set(data.pool, its)
  })
  return { changes, nextOf }
}
