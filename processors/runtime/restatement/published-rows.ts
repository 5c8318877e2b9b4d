/** Reads the rows that a task has published back from its derived partition. */
import { recordsFrom } from '../../../infra/log/read-back.ts'
import { isTick, type StageRecord } from '../../../schemas/stage.ts'
import { createRecordReader } from '../decode-record.ts'
import { topicsOf } from '../task.ts'
import type { Task } from './restated-tick.ts'
import { addVersion, type DerivedOutput, type RowVersion, type RowVersions, rowId } from './row-versions.ts'

/**
 * The number of offsets that the first step of a backward search covers. Each further step is `stepGrowth`
 * times as long as the previous one.
 */
const firstStepCount = 256
const stepGrowth = 4

/**
 * Returns the rows that were published from `fromOffset` on, by ticks with a number below `beforeSeq`. Each
 * row is in its last version.
 */
export async function rowsPublished(task: Task, fromOffset: number, beforeSeq: number): Promise<RowVersions> {
  const { derivedTopic } = topicsOf(task.dependencies)
  const { endOffset } = await task.dependencies.log.bounds(derivedTopic, task.partition)
  const rows = new Map<string, RowVersion>()
  let open: DerivedOutput[] = []
  for await (const { token, record } of derivedBetween(task, fromOffset, endOffset)) {
    if (!isTick(record)) {
      open.push({ token, record })
      continue
    }
    if (record.data.seq >= beforeSeq) break
    for (const output of open) addVersion(task.dependencies.stage, rows, output)
    open = []
  }
  return rows
}

/**
 * Returns the last version of each wanted row that was published before `beforeOffset`. Searches backwards in
 * the log. A row is published after the time in its key. So the search for a row ends at the first tick whose
 * block time is before that time.
 */
export async function rowsEarlier(
  task: Task,
  wanted: readonly RowVersion[],
  beforeOffset: number,
): Promise<RowVersions> {
  const { stage } = task.dependencies
  const { derivedTopic } = topicsOf(task.dependencies)
  const { startOffset } = await task.dependencies.log.bounds(derivedTopic, task.partition)
  const found = new Map<string, RowVersion>()
  let missing = new Map(wanted.map((row) => [rowId(stage, row), row]))
  let untilOffset = beforeOffset
  for (let stepCount = firstStepCount; missing.size > 0 && untilOffset > startOffset; stepCount *= stepGrowth) {
    const fromOffset = Math.max(startOffset, untilOffset - stepCount)
    const { rows, earliestAtMs } = await readStretch(task, fromOffset, untilOffset)
    for (const id of missing.keys()) {
      const row = rows.get(id)
      if (row) found.set(id, row)
    }
    missing = new Map([...missing].filter(([id, { key }]) => !found.has(id) && key.atMs <= earliestAtMs))
    untilOffset = fromOffset
  }
  return found
}

/**
 * Returns the last version of each row between two offsets. Also returns the earliest block time of the ticks
 * between them.
 */
async function readStretch(task: Task, fromOffset: number, untilOffset: number) {
  const rows = new Map<string, RowVersion>()
  let earliestAtMs = Number.POSITIVE_INFINITY
  for await (const { token, record } of derivedBetween(task, fromOffset, untilOffset))
    if (isTick(record)) earliestAtMs = Math.min(earliestAtMs, record.data.blockAtMs)
    else addVersion(task.dependencies.stage, rows, { token, record })
  return { rows, earliestAtMs }
}

type KeyedRecord = Readonly<{ token: string; record: StageRecord }>

async function* derivedBetween(task: Task, offset: number, untilOffset: number): AsyncGenerator<KeyedRecord> {
  const { dependencies, partition, signal } = task
  const { derivedTopic } = topicsOf(dependencies)
  const reader = createRecordReader(dependencies.derivedCodec, derivedTopic, partition)
  const from = { topic: derivedTopic, partition, offset }
  for await (const batch of recordsFrom(dependencies.log, from, { untilOffset, signal }))
    for (let index = 0; index < batch.count; index++)
      yield { token: batch.keyAt(index), record: await reader.wholeAt(batch, index) }
}
