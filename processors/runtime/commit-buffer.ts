/** Whole ticks on their way to the derived partition: what each gave, then the tick itself. */
import type { NewRecord } from '../../infra/log/log.ts'
import type { Tick } from '../../schemas/tick.ts'
import { tickKey } from '../../schemas/topics.ts'
import type { LabelledRecord } from './published.ts'
import type { DerivedOutput } from './row-versions.ts'
import { type StageDependencies, topicsOf } from './task.ts'

/** One append holds no more than this and the tick that went over it. */
const appendBytesMax = 4 * 1024 * 1024
const appendRecordsMax = 10_000

/** A tick's outputs and the tick, encoded, in the order they stand on the log. Nothing in a value depends on when it was known. */
export function encodeTick(
  dependencies: Pick<StageDependencies, 'derivedCodec' | 'stage'>,
  partition: number,
  closed: Readonly<{ tick: Tick; outputs: readonly DerivedOutput[] }>,
): LabelledRecord[] {
  const { derivedCodec: codec } = dependencies
  const { derivedTopic: topic } = topicsOf(dependencies)
  const encoded: LabelledRecord[] = closed.outputs.map(({ token, record }) => ({
    type: record.type,
    record: { topic, partition, key: token, value: codec.encode(record.type, record.data) },
  }))
  const value = codec.encode('Tick', closed.tick)
  encoded.push({ type: 'Tick', record: { topic, partition, key: tickKey, value } })
  return encoded
}

export class CommitBuffer {
  #records: NewRecord[] = []
  #bytes = 0

  add(records: readonly LabelledRecord[]): void {
    for (const { record } of records) {
      this.#records.push(record)
      this.#bytes += record.value?.length ?? 0
    }
  }

  get isFull(): boolean {
    return this.#bytes >= appendBytesMax || this.#records.length >= appendRecordsMax
  }

  /** Hands out all records; empty where no tick closed since. */
  take(): readonly NewRecord[] {
    const records = this.#records
    this.#records = []
    this.#bytes = 0
    return records
  }
}
