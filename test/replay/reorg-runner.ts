/** A stage run over whole logs with reorgs, and what its derived partition says in the end. */
import { expect } from 'chai'
import { createMemoryLog } from '../../infra/log/memory/memory-log.ts'
import type { RunnableStage } from '../../processors/runtime/runnable-stage.ts'
import type { DerivedRecord } from '../../processors/runtime/stage-codecs.ts'
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import { isMark, isTick, type Stage, type StageTypes } from '../../schemas/stage.ts'
import type { TopicTable } from '../../schemas/topics.ts'
import type { createHoledLog } from '../support/holed-log.ts'
import { type KeyedRecord, lastSeqOf } from './keyed-record.ts'
import { asText, drive, lastRows, livingOf, rowNameOf } from './living-log.ts'
import { appendFacts, derivedBytes, inBatchesOf, openStage, readAll, runUntil } from './stage-log.ts'

const partition = 0

type Run = Readonly<{
  stops?: readonly number[]
  snapshotEveryMs?: number | undefined
  batchAppends?: number
  createLog?: typeof createHoledLog
}>

export type Derived<Types extends StageTypes> = Readonly<{ token: string; record: DerivedRecord<Types> }>

export type ReorgRunner<Types extends StageTypes> = Awaited<ReturnType<typeof createReorgRunner<Types>>>

export async function createReorgRunner<Types extends StageTypes>(
  runnable: RunnableStage<Types>,
  topicTable: TopicTable,
) {
  const open = await openStage(runnable, undefined, topicTable)
  const { stage } = open
  type Records = readonly KeyedRecord<Types>[]

  /** The clock advances by one at each look, so that a pace is a number of ticks. */
  const ranOn = async (records: Records, run: Run = {}) => {
    const { stops = [], snapshotEveryMs, batchAppends, createLog = createMemoryLog } = run
    const memory = createLog({ nowMs: () => 0, topicTable })
    await appendFacts({ ...open, log: memory, partition }, records)
    const log = batchAppends === undefined ? memory : inBatchesOf(memory, batchAppends)
    let now = 0
    const pace = snapshotEveryMs === undefined ? {} : { snapshotEveryMs }
    for (const seq of [...stops, lastSeqOf(records)])
      await runUntil({ ...open, partition }, seq, { log, nowMs: () => now++, ...pace })
    return memory
  }
  return {
    stage,
    bytesOf: async (records: Records, run: Run = {}) => derivedBytes(await ranOn(records, run), stage, partition),
    derivedOf: async (records: Records, run: Run = {}): Promise<Derived<Types>[]> => {
      const stored = await readAll(await ranOn(records, run), stage.derivedTopic.name, partition)
      return stored.map(({ key, value }) => ({ token: key, record: open.derivedCodec.decode(value!) }))
    },
    expectedOf: (records: Records) =>
      lastRows(stage, drive(stage, createTestDriver(open), livingOf(stage, records)))
        .map(({ record }) => asText(record))
        .sort(),
  }
}

/** What is published in the end, as text. */
export function finalRows<Types extends StageTypes>(stage: Stage<Types>, derived: readonly Derived<Types>[]): string[] {
  const rows = new Map<string, string>()
  for (const { token, record } of derived) {
    if (isTick(record)) continue
    if (!isMark(record)) rows.set(rowNameOf(stage, token, stage.rowKeyOf(record)), asText(record))
    else if (record.type === 'Withdrawn') {
      const name = rowNameOf(stage, token, record.data)
      expect(rows.delete(name), `${name} was there`).to.equal(true)
    }
  }
  return [...rows.values()].sort()
}

/** How often a row that superseded another was restated; it has to name that one again each time. */
export function restatedMoved<Types extends StageTypes>(
  stage: Stage<Types>,
  derived: readonly Derived<Types>[],
): number {
  const supersedes = new Map<string, number>()
  let count = 0
  for (const { token, record } of derived) {
    if (!isMark(record)) continue
    const name = rowNameOf(stage, token, record.data)
    const named = supersedes.get(name)
    if (record.type === 'Withdrawn') supersedes.delete(name)
    else if (named !== undefined) {
      expect(record.data.supersedesAtMs, name).to.equal(named)
      count += 1
    } else if (record.data.supersedesAtMs !== null) supersedes.set(name, record.data.supersedesAtMs)
  }
  return count
}
