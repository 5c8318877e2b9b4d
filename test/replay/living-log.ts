/** What is left of a log after its reverts, worked out by taking records away one revert after the other. */

import type { TestDriver } from '../../processors/runtime/test-driver.ts'
import type { Token } from '../../processors/runtime/token-book.ts'
import type { TokenOutput } from '../../processors/runtime/walk.ts'
import { type ChainADerived, rowKeyOf } from '../../schemas/chain-a/derived.ts'
import { isAnswer } from '../../schemas/chain-a/facts.ts'
import type { KeyedRecord } from './recut.ts'

/** The log as it would stand had the chain never been reverted. */
export function livingOf(records: readonly KeyedRecord[]): KeyedRecord[] {
  let closed: KeyedRecord[] = []
  let open: KeyedRecord[] = []
  for (const keyed of records) {
    open.push(keyed)
    if (keyed.record.type !== 'Tick') continue
    const { revertedFrom } = keyed.record.data
    if (revertedFrom !== null)
      closed = closed.filter(({ record }) => isAnswer(record) || record.data.blockNumber < revertedFrom)
    closed.push(...open)
    open = []
  }
  return closed
}

/** Pipes records through; ticks are counted anew. */
export function drive(driver: TestDriver, records: readonly KeyedRecord[]): TokenOutput[] {
  return records.flatMap(({ key, record }) => {
    if (record.type === 'Tick') {
      const { seq, ...fields } = record.data
      return driver.tick(fields.blockAtMs, fields)
    }
    if (isAnswer(record)) driver.answer(key as Token, record)
    else driver.fact(key as Token, record)
    return []
  })
}

const nameOf = ({ token, record }: TokenOutput): string => {
  const { recordType, pool, tier, atMs } = rowKeyOf(record)
  return [token, recordType, pool, tier, atMs].join()
}

/** The last version of each row. */
export const lastRows = (outputs: readonly TokenOutput[]): TokenOutput[] => [
  ...new Map(outputs.map((output) => [nameOf(output), output])).values(),
]

export const asText = ({ type, data }: ChainADerived): string =>
  `${type} ${JSON.stringify(data, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))}`
