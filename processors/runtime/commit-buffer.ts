/**
 * Collects derived records for the next append to the log. For each tick (the record that closes a time
 * step), it collects the outputs of the tick and then the tick.
 */
import type { NewRecord } from '../../infra/log/log.ts'
import type { Tick } from '../../schemas/tick.ts'
import { tickKey } from '../../schemas/topics.ts'
import type { LabelledRecord } from './restatement/published.ts'
import type { DerivedOutput } from './restatement/row-versions.ts'
import { type StageDependencies, topicsOf, versionOf } from './task.ts'

/** The buffer is appended to the log as soon as a tick makes it reach one of these two sizes. */
const appendBytesMax = 4 * 1024 * 1024
const appendRecordsMax = 10_000

/** Encodes the outputs of a tick and then the tick, in their order in the log. */
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
  const value = codec.encode('Tick', { ...closed.tick, rulesVersion: versionOf(dependencies, closed.tick) })
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

  /** Returns and removes all collected records. Empty if no tick was added after the last call. */
  take(): readonly NewRecord[] {
    const records = this.#records
    this.#records = []
    this.#bytes = 0
    return records
  }
}
