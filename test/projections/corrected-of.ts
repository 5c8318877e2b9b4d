/**
 * A correction is a change that a reorg made to a published row. This file computes the corrections from a
 * derived partition of the log, without any table.
 */
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { LogReader } from '../../infra/log/log.ts'
import { recordsFrom } from '../../infra/log/read-back.ts'
import { isMark, isTick, type MarkRecord, type RowKey, type Stage, type StageRecord } from '../../schemas/stage.ts'

export type MarkedRow = Readonly<{
  knownAtMs: number
  recordType: string
  token: string
  atMs: number
  movedFromAtMs: number | null
  isWithdrawn: boolean
  /** The row before and after the tick. Null if the row did not exist. */
  before: StageRecord['data'] | null
  after: StageRecord['data'] | null
}>

type Rows = Map<string, StageRecord['data']>

type Partition = Readonly<{ log: LogReader; codec: SchemaCodec<StageRecord>; stage: Stage; partition: number }>

export async function correctedIn({ log, codec, stage, partition }: Partition): Promise<readonly MarkedRow[]> {
  const found: MarkedRow[] = []
  const rows: Rows = new Map()
  let tick: Keyed[] = []
  const from = { topic: stage.derivedTopic.name, partition, offset: 0 }
  const { endOffset } = await log.bounds(from.topic, partition)
  for await (const batch of recordsFrom(log, from, { untilOffset: endOffset }))
    for (let index = 0; index < batch.count; index++) {
      const record = codec.decode(batch.valueAt(index) as Buffer)
      if (!isTick(record)) {
        tick.push({ token: batch.keyAt(index), record })
        continue
      }
      found.push(...closeTick({ stage, rows, tick, knownAtMs: record.data.knownAtMs }))
      tick = []
    }
  return found
}

type Keyed = Readonly<{ token: string; record: StageRecord }>
type Closing = Readonly<{ stage: Stage; rows: Rows; tick: readonly Keyed[]; knownAtMs: number }>

/** Applies the tick to `rows`. Returns one changed row per mark (withdrawn or restated) of the tick. */
function closeTick({ stage, rows, tick, knownAtMs }: Closing): readonly MarkedRow[] {
  const nameOf = (token: string, key: RowKey, atMs = key.atMs) =>
    `${token} ${key.recordType} ${stage.rowNameOf(key)} ${atMs}`
  const before = new Map(rows)
  for (const { token, record } of tick)
    if (!isMark(record)) rows.set(nameOf(token, stage.rowKeyOf(record)), record.data)
    else if (record.type === 'Withdrawn') rows.delete(nameOf(token, record.data))
  return tick.flatMap(({ token, record }) => {
    if (!isMark(record)) return []
    const { type, data }: MarkRecord = record
    const movedFromAtMs = type === 'Restated' ? data.supersedesAtMs : null
    return {
      ...{ knownAtMs, recordType: data.recordType, token, atMs: data.atMs, movedFromAtMs },
      isWithdrawn: type === 'Withdrawn',
      before: before.get(nameOf(token, data, movedFromAtMs ?? data.atMs)) ?? null,
      after: rows.get(nameOf(token, data)) ?? null,
    }
  })
}
