/**
 * The loop of one task. A task reads the facts of one partition, processes them and appends derived records
 * to the derived topic. A tick is a record among the facts that closes a time step. The task appends derived
 * records only for whole ticks. After a restart the task continues after the last tick of its derived
 * partition, so it stores no offset.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { crashPoint } from '../../infra/crash-points.ts'
import { OperationError } from '../../infra/errors.ts'
import type { LogWriter, NewRecord } from '../../infra/log/log.ts'
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import { isTick } from '../../schemas/stage.ts'
import type { Tick } from '../../schemas/tick.ts'
import { CommitBuffer, encodeTick } from './commit-buffer.ts'
import { createRecordReader, type RecordReader } from './decode-record.ts'
import { ProgressMeter } from './progress-meter.ts'
import type { LabelledRecord } from './restatement/published.ts'
import { reachesBack } from './restatement/reaches-back.ts'
import { restate } from './restatement/restate.ts'
import type { RestatedTick } from './restatement/restated-tick.ts'
import type { DerivedOutput } from './restatement/row-versions.ts'
import { type Resumed, resume } from './resume.ts'
import { openSnapshotStore, type SnapshotStore } from './snapshots/snapshot-store.ts'
import { SnapshotTaker } from './snapshots/snapshot-taker.ts'
import { type StageDependencies, taskName, topicsOf, versionOf } from './task.ts'
import type { AnyWalk } from './walk.ts'

/**
 * The maximum number of bytes per read of the fact topic. With reads of this size, a task that is behind
 * rarely waits for the disk.
 */
const readBytesMax = 4 * 1024 * 1024
/**
 * If a read returns at most this many bytes, the task has reached the end of the log. The task then waits for
 * the next append instead of polling.
 */
const liveBytesMax = 256 * 1024

/**
 * Runs a task until the signal aborts. An earlier run of the same task that is still open then fails with
 * `writer_fenced`. A task can always be started again. Fails with:
 * - `record_corrupt` if a fact cannot be decoded
 * - `determinism_broken` if the new records differ from the published records
 * - `reorg_too_deep` if the log has neither a snapshot nor the facts from before a reorg
 */
export async function runTask(dependencies: StageDependencies, partition: number, signal: AbortSignal): Promise<void> {
  const writer = await dependencies.log.openWriter(`stage-${taskName(dependencies, partition)}`)
  try {
    const snapshots = await openSnapshotStore(dependencies, partition)
    const taker = new SnapshotTaker(dependencies, partition, snapshots)
    try {
      const resumed = await resume(dependencies, partition, snapshots)
      await new Task({ dependencies, partition, resumed, writer, snapshots, taker, signal }).run()
    } finally {
      await taker.settle()
      await snapshots.close()
    }
  } finally {
    await writer.close()
  }
}

type OpenedTask = Readonly<{
  dependencies: StageDependencies
  partition: number
  resumed: Resumed
  writer: LogWriter
  snapshots: SnapshotStore
  taker: SnapshotTaker
  signal: AbortSignal
}>

class Task {
  readonly #opened: OpenedTask
  readonly #buffer = new CommitBuffer()
  readonly #meter: ProgressMeter
  readonly #facts: RecordReader
  /**
   * The object that calls the processors for each fact and holds their states. After a reorg, a new walk
   * without the facts of the abandoned branch replaces it.
   */
  #walk: AnyWalk
  #offset: number
  #lastTick: Tick | null

  constructor(opened: OpenedTask) {
    this.#opened = opened
    this.#walk = opened.resumed.walk
    this.#offset = opened.resumed.factsOffset
    this.#lastTick = opened.resumed.walk.lastTick
    this.#facts = createRecordReader(
      opened.dependencies.factCodec,
      topicsOf(opened.dependencies).factTopic,
      opened.partition,
    )
    this.#meter = new ProgressMeter(opened.dependencies, opened.partition)
  }

  async run(): Promise<void> {
    const { dependencies, partition, signal } = this.#opened
    const { factTopic: topic } = topicsOf(dependencies)
    let isBehind = true
    await this.#commit()
    while (!signal.aborted) {
      const next = { topic, partition, offset: this.#offset }
      if (!isBehind) await dependencies.log.waitForAppend(next, signal)
      const batches = await dependencies.log.read(next, { bytesMax: readBytesMax, signal })
      if (batches[0] && batches[0].offsetAt(0) > this.#offset) await this.#refuseLost()
      isBehind = bytesOf(batches) > liveBytesMax
      for (const batch of batches) {
        await this.#walkBatch(batch)
        // After an abort, some records of this batch may be unprocessed. The next batch must then not be
        // processed.
        if (signal.aborted) break
      }
      await this.#commit()
      await nextTurn()
    }
  }

  async #walkBatch(batch: RecordBatch): Promise<void> {
    const { signal, dependencies } = this.#opened
    const { stage } = dependencies
    for (let index = 0; index < batch.count; index++) {
      const record = this.#facts.knownAt(batch, index) ?? (await this.#facts.wholeAt(batch, index))
      if (!isTick(record)) {
        if (stage.isAnswer(record)) this.#walk.onAnswer(batch.keyAt(index), record)
        else this.#walk.onFact(batch.keyAt(index), record)
        continue
      }
      await this.#closeTick(record.data, batch.offsetAt(index))
      if (signal.aborted) return
    }
    this.#meter.count(batch.count)
    this.#offset = batch.nextOffset
  }

  async #closeTick(tick: Tick, offset: number): Promise<void> {
    const { dependencies, partition, resumed, taker } = this.#opened
    this.#refuseGap(tick)
    const { revertedFrom } = tick
    const outputs =
      revertedFrom === null ? this.#walk.onTick(tick) : await this.#restate(tick, { revertedFrom, offset })
    if (outputs === null) return
    const records = encodeTick(dependencies, partition, { tick, outputs })
    this.#lastTick = tick
    if (this.#isForwarded(tick)) await this.#compare(tick, records)
    else this.#buffer.add(records)
    if (tick.seq < (resumed.forwarded?.seq ?? tick.seq)) return
    if (taker.isDue(offset + 1)) {
      await this.#commit()
      await taker.take(this.#walk, offset + 1)
    } else if (this.#buffer.isFull) await this.#commit()
  }

  /**
   * Processes the facts again after a reorg, without the facts of the abandoned branch. Returns the records
   * to publish, or null when the signal aborts.
   */
  async #restate(
    tick: Tick,
    reorg: Pick<RestatedTick, 'revertedFrom' | 'offset'>,
  ): Promise<readonly DerivedOutput[] | null> {
    const { taker, resumed } = this.#opened
    await this.#commit()
    await taker.settle()
    const mayMissFacts = this.#isForwarded(tick) && resumed.published === null
    const restatement = await restate(this.#opened, { ...reorg, seq: tick.seq, mayMissFacts })
    if (restatement === null) return null
    await taker.dropReorged({ seq: tick.seq, ...reorg })
    crashPoint('stage-restated')
    this.#walk = restatement.walk
    return restatement.outputs
  }

  /**
   * Compares the records with the records that an earlier run published for this tick. Published records of
   * another rules version are skipped.
   */
  async #compare(tick: Tick, records: readonly LabelledRecord[]): Promise<void> {
    const { dependencies, resumed } = this.#opened
    if (versionOf(dependencies, tick) === dependencies.stage.rulesVersion)
      await resumed.published?.match(tick.seq, records)
    else await resumed.published?.pass()
  }

  async #commit(): Promise<void> {
    const records = this.#buffer.take()
    if (records.length > 0) await appendWhole(this.#opened.writer, records)
    const tick = this.#lastTick
    if (tick) this.#meter.report(tick, { isFolding: this.#isForwarded(tick), ...this.#walk.counts() })
  }

  #isForwarded(tick: Tick): boolean {
    const { forwarded } = this.#opened.resumed
    return forwarded !== null && tick.seq <= forwarded.seq
  }

  /**
   * Fails if retention removed facts before this task read them. Call this function if the next record of the
   * log is not at the offset that the task expects. `#refuseGap` compares only tick numbers, so it does not
   * notice facts that are missing inside one tick.
   */
  async #refuseLost(): Promise<void> {
    const { dependencies, partition } = this.#opened
    if (await reachesBack(dependencies, partition, { factsOffset: this.#offset })) return
    const { factTopic: topic } = topicsOf(dependencies)
    throw new OperationError(
      'offset_out_of_range',
      `the log no longer has the facts of ${taskName(dependencies, partition)} from offset ${this.#offset} on. Start over with another log (KAFKA_TOPIC_PREFIX or DATA_DIR)`,
      { context: { topic, partition, factsOffset: this.#offset, previousSeq: this.#lastTick?.seq ?? null } },
    )
  }

  /**
   * Fails if tick numbers are missing between the last tick and this tick. A read at a deleted offset begins
   * at the first remaining fact. So missing ticks mean that facts were deleted before the task read them.
   */
  #refuseGap({ seq }: Tick): void {
    const previous = this.#lastTick ?? this.#opened.resumed.forwarded
    if (previous === null || seq <= previous.seq + 1) return
    const { dependencies, partition } = this.#opened
    throw new OperationError(
      'offset_out_of_range',
      `the log no longer has the facts between tick ${previous.seq} and tick ${seq}. Start over with another log (KAFKA_TOPIC_PREFIX or DATA_DIR)`,
      {
        context: { topic: topicsOf(dependencies).factTopic, partition, previousSeq: previous.seq, seq },
      },
    )
  }
}

const bytesOf = (batches: readonly RecordBatch[]): number => batches.reduce((sum, { bytes }) => sum + bytes.length, 0)

async function appendWhole(writer: LogWriter, records: readonly NewRecord[]): Promise<void> {
  crashPoint('stage-before-commit')
  await writer.append(records)
  crashPoint('stage-after-commit')
}
