/**
 * Writes the derived records about calls, posts that name a token, tick by tick. Each tick has records of
 * both chains and of the chats. All of them become known at the same time.
 */
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec, type SchemaRegistry } from '../../../infra/codec/schema-codec.ts'
import type { Log } from '../../../infra/log/log.ts'
import { partitionOf } from '../../../infra/log/partition-of.ts'
import type { Call, CallScored, Precall, PrecallBuyers, ScannerGrade } from '../../../schemas/calls/derived.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { chatsStage } from '../../../schemas/chats/stage.ts'
import type { Stage, StageRecord } from '../../../schemas/stage.ts'
import type { Tick } from '../../../schemas/tick.ts'
import { createHoledLog } from '../../support/log/holed-log.ts'
import { address, buildTick, noonMs, poolId } from '../derived-log.ts'

export const stagesOfCalls = [chainAStage, chainBStage, chatsStage] as const

type Records = readonly (readonly [token: string, record: StageRecord])[]

export type CallsLog = Readonly<{
  log: Log
  registry: SchemaRegistry
  /** Appends one tick per stage, with its records. `fields` overrides the fields of the ticks. */
  tick(
    atMs: number,
    records?: Readonly<{ a?: Records; b?: Records; chats?: Records }>,
    fields?: Readonly<{ a?: Partial<Tick>; b?: Partial<Tick>; chats?: Partial<Tick> }>,
  ): Promise<void>
}>

export async function createCallsLog(): Promise<CallsLog> {
  let nowMs = noonMs
  const log = createHoledLog({ nowMs: () => nowMs })
  const registry = createMemoryRegistry()
  const codecs = new Map(
    await Promise.all(
      stagesOfCalls.map(
        async ({ name, derivedTopic }) => [name, await createSchemaCodec<StageRecord>(derivedTopic, registry)] as const,
      ),
    ),
  )
  const writer = await log.openWriter('stages')
  let seq = 0
  const recordsOf = (stage: Stage, records: Records, tick: Tick) => {
    const { name: topic, partitionCount } = stage.derivedTopic
    const encode = (type: string, data: object) => codecs.get(stage.name)?.encode(type, data) ?? Buffer.alloc(0)
    const value = encode('Tick', tick)
    return [
      ...records.map(([key, { type, data }]) => ({
        ...{ topic, key, partition: partitionOf(key, partitionCount), value: encode(type, data) },
      })),
      ...Array.from({ length: partitionCount }, (_, partition) => ({ topic, partition, key: 'tick', value })),
    ]
  }
  return {
    log,
    registry,
    async tick(atMs, { a = [], b = [], chats = [] } = {}, fields = {}) {
      seq += 1
      nowMs = atMs + 7
      const tick = buildTick({ seq, knownAtMs: atMs, blockAtMs: atMs, blockNumber: seq * 10 })
      await writer.append([
        ...recordsOf(chainAStage, a, { ...tick, ...fields.a }),
        ...recordsOf(chainBStage, b, { ...tick, ...fields.b }),
        ...recordsOf(chatsStage, chats, { ...tick, ...fields.chats }),
      ])
    },
  }
}

/** A call in a public chat, without a price yet. */
export const buildCall = (fields: Partial<Call> = {}) => ({
  type: 'Call' as const,
  data: {
    ...{ calledAtMs: noonMs, firstSeenAtMs: noonMs + 900, isLate: false, hasCode: null, isFirst: true, recalls: 0 },
    chats: [buildChat()],
    ...{ anchor: null, stage: null, triggered: null, lastSampleAtMs: null, lastRet: null },
    ...{ ret1h: null, ret4h: null, ret12h: null, ret24h: null, ret48h: null },
    ...{ maxRet: null, maxAtMs: null, dipBeforeMax: null, ruggedAtMs: null, isDead: false, isDone: false },
    ...fields,
  } satisfies Call,
})

export const buildChat = (fields: Partial<Call['chats'][number]> = {}): Call['chats'][number] => ({
  ...{ chat: '-1001', chatName: 'public_calls', firstAtMs: noonMs, posts: 1, posters: ['-1001'] },
  ...fields,
})

/** A win with a best return of 50 %. */
export const buildScored = (fields: Partial<CallScored> = {}) => ({
  type: 'CallScored' as const,
  data: {
    ...{ postedAtMs: noonMs - 7_200_000, chat: '-1001', post: 1, chatName: 'public_calls', poster: '501' },
    ...{ tokenCount: 1, unscored: null, market: poolId(1), anchorAtMs: noonMs - 7_197_000, anchorPx: 1e-21 },
    ...{
      ret1: 0.125,
      ret5: 0.25,
      ret15: 0.5,
      ret60: -0.25,
      mfe: 0.5,
      mae: -0.25,
      isWin35: true,
      ruggedAtMs: null,
      isAsked: false,
    },
    ...fields,
  } satisfies CallScored,
})

/** A post that could not be scored. */
export const unscored = (why: CallScored['unscored'], fields: Partial<CallScored> = {}) =>
  buildScored({
    ...{ unscored: why, market: null, anchorAtMs: null, anchorPx: null, isWin35: null },
    ...{ ret1: null, ret5: null, ret15: null, ret60: null, mfe: null, mae: null },
    ...fields,
  })

export const buildGrade = (fields: Partial<ScannerGrade> = {}) => ({
  type: 'ScannerGrade' as const,
  data: {
    ...{ gradedSinceMs: noonMs, lastCardAtMs: noonMs, grade: 'B', score: 82.5, top10Pct: 0.25, topHolder1Pct: 0.0625 },
    ...{ snipers: 7, sniperPct: 0.125, bundlers: null, bundlePct: 0.5, devLeftPct: 0, fresh1d: 0.375, fresh7d: null },
    ...{ holders: 412, penalties: [{ field: 'bundlePct', value: 0.5, limit: 0.25, points: 17.5 }], bots: ['rick'] },
    ...{ cards: 1, ...fields },
  } satisfies ScannerGrade,
})

export const buildPrecall = (fields: Partial<Precall> = {}) => ({
  type: 'Precall' as const,
  data: {
    ...{ postedAtMs: noonMs, isTracked: true, market: poolId(1), buys: 6, buyWei: 1_500_000_000_000_000_000n },
    ...{ sameBlockMaxTx: 5, run60: 3.5, ageAtCallMs: 1_500_000, chg1h0: null, flags: ['run', 'young'] },
    ...fields,
  } satisfies Precall,
})

export const buildPrecallBuyers = (fields: Partial<PrecallBuyers> = {}) => ({
  type: 'PrecallBuyers' as const,
  data: {
    ...{ postedAtMs: noonMs, wallets: 5, sameBlockWallets: 5, walletList: [address(1), address(2)] },
    ...{ flags: ['run', 'young', 'cluster'], ...fields },
  } satisfies PrecallBuyers,
})

/** Withdraws the row of a record of chain A. */
export const withdrawnOnA = (recordType: string, atMs: number, name = '') => ({
  type: 'Withdrawn',
  data: { recordType, pool: '0x', tier: null, atMs, name },
})

export const withdrawnOnB = (recordType: string, atMs: number, name = '') => ({
  type: 'Withdrawn',
  data: { recordType, txHash: null, logIndex: null, atMs, name },
})
