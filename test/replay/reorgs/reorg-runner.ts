/** Runs a stage over whole logs with reorgs, and reads the final rows of its derived partition. */
import { expect } from 'chai'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import type { RunnableStage } from '../../../processors/runtime/runnable-stage.ts'
import type { DerivedRecord } from '../../../processors/runtime/stage-codecs.ts'
import { createTestDriver } from '../../../processors/runtime/test-driver.ts'
import { isMark, isTick, type Stage, type StageTypes } from '../../../schemas/stage.ts'
import type { TopicTable } from '../../../schemas/topics.ts'
import type { createHoledLog } from '../../support/log/holed-log.ts'
import { asText, drive, lastRows, livingOf, rowNameOf } from '../canonical-log.ts'
import { type KeyedRecord, lastSeqOf } from '../keyed-record.ts'
import { appendFacts, derivedBytes, inBatchesOf, openStage, readAll, runUntil } from '../stage-log.ts'

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

  /** The clock advances by one at each call, so `snapshotEveryMs` is a number of calls here. */
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

/** Returns the rows that are published in the end, as text. */
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

/**
 * Computes the marks that a reorg must leave in the log, and compares them with the log. A mark says which
 * older row a row replaces (supersedes). In a reorg, a row has a mark if it already existed or if it replaces
 * another row. A new row replaces the first withdrawn row with the same name. Returns how often a reorg
 * published a replacing row again.
 */
export function checkMarks<Types extends StageTypes>(stage: Stage<Types>, derived: readonly Derived<Types>[]): number {
  const book = new Rows(stage)
  let open: Derived<Types>[] = []
  for (const output of derived) {
    const { record } = output
    if (!isTick(record)) open.push(output)
    else {
      book.close(open, record.data.revertedFrom !== null)
      open = []
    }
  }
  return book.restatedCount
}

class Rows<Types extends StageTypes> {
  restatedCount = 0
  readonly #stage: Stage<Types>
  /** For each existing row, the time of the row that it replaced. Null: the row replaced nothing. */
  readonly #rows = new Map<string, number | null>()
  /**
   * The times of the rows that the tick has withdrawn. The key is the part of a row's name that does not
   * change when the row moves.
   */
  #free = new Map<string, number[]>()

  constructor(stage: Stage<Types>) {
    this.#stage = stage
  }

  /** Checks the outputs of one tick. */
  close(outputs: readonly Derived<Types>[], isReorg: boolean): void {
    this.#free = new Map()
    let mark: number | null | undefined
    for (const { token, record } of outputs) {
      if (isTick(record)) continue
      if (!isMark(record)) {
        const key = this.#stage.rowKeyOf(record)
        expect(mark, `the mark of ${asText(record)}`).to.equal(this.#say(token, key, isReorg))
        mark = undefined
      } else if (record.type === 'Withdrawn') this.#withdraw(token, record.data)
      else mark = record.data.supersedesAtMs
    }
  }

  #withdraw(token: string, key: Types['key']): void {
    this.#rows.delete(rowNameOf(this.#stage, token, key))
    if (!this.#stage.movableTypes.includes(key.recordType)) return
    const name = this.#nameOf(token, key)
    this.#free.set(name, [...(this.#free.get(name) ?? []), key.atMs].sort(byNumber))
  }

  /** Returns the time that the mark of the row must give. Undefined: the row must have no mark. */
  #say(token: string, key: Types['key'], isReorg: boolean): number | null | undefined {
    const row = rowNameOf(this.#stage, token, key)
    const known = this.#rows.get(row)
    const supersedes = known === undefined ? (this.#free.get(this.#nameOf(token, key))?.shift() ?? null) : known
    this.#rows.set(row, supersedes)
    if (isReorg && known !== undefined && known !== null) this.restatedCount += 1
    return isReorg && (known !== undefined || supersedes !== null) ? supersedes : undefined
  }

  #nameOf(token: string, key: Types['key']): string {
    return [token, key.recordType, this.#stage.rowNameOf(key)].join()
  }
}

const byNumber = (one: number, other: number): number => one - other
