/**
 * Computes what remains of a log after its reorgs. A record that a reorg removed from the chain is removed
 * from the log too.
 */

import type { TestDriver } from '../../processors/runtime/test-driver.ts'
import type { TokenOutput } from '../../processors/runtime/token-entry.ts'
import { isTick, type RowKey, type Stage, type StageRecord, type StageTypes } from '../../schemas/stage.ts'
import { isFact, type KeyedRecord } from './keyed-record.ts'

/** A record that remains. A reverted tick remains as a place only: the answers before it stay valid. */
type Living<Types extends StageTypes> = KeyedRecord<Types> & Readonly<{ isReverted?: true }>

/** Returns the log without the facts that reorgs removed. */
export function livingOf<Types extends StageTypes>(
  stage: Stage<Types>,
  records: readonly KeyedRecord<NoInfer<Types>>[],
): Living<Types>[] {
  const withoutFrom = (its: Living<Types>, blockNumber: number): readonly Living<Types>[] => {
    const { record } = its
    if (isTick(record)) return [record.data.blockNumber < blockNumber ? its : { ...its, isReverted: true }]
    return !isFact(stage, record) || stage.blockNumberOf(record) < blockNumber ? [its] : []
  }
  let closed: Living<Types>[] = []
  let open: Living<Types>[] = []
  for (const keyed of records) {
    open.push(keyed)
    if (!isTick(keyed.record)) continue
    const { revertedFrom } = keyed.record.data
    if (revertedFrom !== null) closed = closed.flatMap((its) => withoutFrom(its, revertedFrom))
    closed.push(...open)
    open = []
  }
  return closed
}

/** Passes the records to the driver, which counts the ticks from 1. */
export function drive<Types extends StageTypes>(
  stage: Stage<Types>,
  driver: TestDriver<NoInfer<Types>>,
  records: readonly Living<NoInfer<Types>>[],
): TokenOutput<Types['derived']>[] {
  return records.flatMap(({ key, record, isReverted }) => {
    if (isTick(record)) {
      const { seq, ...fields } = record.data
      if (isReverted) driver.revertedTick(record.data)
      else return driver.tick(fields.blockAtMs, fields)
    } else if (isFact(stage, record)) driver.fact(key, record)
    else driver.answer(key, record)
    return []
  })
}

/** Returns a name for a row that is unique in the log. */
export const rowNameOf = (stage: Stage, token: string, key: RowKey): string =>
  [token, key.recordType, stage.rowNameOf(key), key.atMs].join()

/** The last version of each row. */
export const lastRows = <Types extends StageTypes>(
  stage: Stage<Types>,
  outputs: readonly TokenOutput<NoInfer<Types>['derived']>[],
): TokenOutput<Types['derived']>[] => [
  ...new Map(outputs.map((output) => [rowNameOf(stage, output.token, stage.rowKeyOf(output.record)), output])).values(),
]

/**
 * Returns the record as text with sorted fields, so that the text of a decoded record equals the text of the
 * original.
 */
export const asText = ({ type, data }: StageRecord): string =>
  `${type} ${JSON.stringify(data, (_, value) => (typeof value === 'bigint' ? `${value}n` : inOrder(value)))}`

const inOrder = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value
