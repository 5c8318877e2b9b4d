/** Generates random histories of a log, and reads all contents of a log. */
import { expect } from 'chai'
import fc from 'fast-check'
import type { EmbeddedRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { isOperationError, type OperationError } from '../../../../infra/errors.ts'
import type { EmbeddedLog } from '../../../../infra/log/embedded/embedded-log.ts'
import type { LogOffset, NewRecord } from '../../../../infra/log/log.ts'
import { readAll, recordsFrom } from '../../../../infra/log/read-back.ts'
import type { RecordBatch } from '../../../../infra/log/record-batch.ts'
import { topics } from '../../../../schemas/topics.ts'

const partitions = Object.values(topics).flatMap(({ name: topic, partitionCount }) =>
  Array.from({ length: partitionCount }, (_, partition) => ({ topic, partition })),
)

export type History = Readonly<{
  appends: readonly Readonly<{ records: readonly NewRecord[]; isNextDay: boolean }>[]
  isMaintained: boolean
}>

const record = fc
  .record({
    place: fc.constantFrom(...partitions),
    key: fc.constantFrom('a', 'b', 'c'),
    text: fc.oneof(
      { weight: 6, arbitrary: fc.string({ maxLength: 30 }) },
      { weight: 1, arbitrary: fc.nat(40_000).map((length) => 'x'.repeat(length)) },
    ),
  })
  .map(({ place, key, text }): NewRecord => ({ ...place, key, value: Buffer.from(text) }))

export const history: fc.Arbitrary<History> = fc.record({
  appends: fc.array(fc.record({ records: fc.array(record, { minLength: 1, maxLength: 8 }), isNextDay: fc.boolean() }), {
    minLength: 1,
    maxLength: 6,
  }),
  isMaintained: fc.boolean(),
})

export type Opened = Readonly<{ log: EmbeddedLog; registry: EmbeddedRegistry }>

/**
 * Returns the contents of all schemas and partitions as texts. If a part cannot be read, its text is the
 * error.
 */
export async function contentsOf({ log, registry }: Opened): Promise<readonly string[]> {
  const schemas = await Promise.all([1, 2, 30].map((id) => registry.fetch(id))).then(JSON.stringify, asText)
  return [schemas, ...(await Promise.all(partitions.map((place) => contentOf(log, place))))]
}

/** Compares what was read with what was written. Returns the number of parts that were read as errors. */
export function expectSameOrDamaged(read: readonly string[], written: readonly string[]): number {
  const isDamaged = read.map((text) => text.startsWith('log_corrupt: '))
  read.forEach((text, index) => {
    if (!isDamaged[index]) expect(text).to.equal(written[index])
  })
  return isDamaged.filter(Boolean).length
}

async function contentOf(log: EmbeddedLog, place: Omit<LogOffset, 'offset'>): Promise<string> {
  try {
    const { startOffset, endOffset } = await log.bounds(place.topic, place.partition)
    const texts = [`${startOffset}-${endOffset}`]
    for await (const batch of readAll(log, place)) texts.push(textOf(batch))
    // A read from the middle finds the block before the offset by the key of that block.
    const offset = Math.floor((startOffset + endOffset) / 2)
    for await (const batch of recordsFrom(log, { ...place, offset })) texts.push(textOf(batch))
    return texts.join()
  } catch (error) {
    return asText(error)
  }
}

const textOf = (batch: RecordBatch): string =>
  Array.from({ length: batch.count }, (_, index) =>
    [batch.offsetAt(index), batch.timestampMsAt(index), batch.keyAt(index), batch.valueAt(index)].join(':'),
  ).join()

export const asText = (error: unknown): string =>
  isOperationError(error) ? `${error.code}: ${error.message}` : `${error}`

export async function failureOf(work: Promise<unknown>): Promise<OperationError> {
  const failure = await work.then(
    () => null,
    (error) => error,
  )
  expect(isOperationError(failure), `${failure}`).to.equal(true)
  return failure
}
