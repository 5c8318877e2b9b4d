/** Changes single bytes in a copy of the recording. Each comparison must notice. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { type RecordedAnswer, routeOf } from './recording.ts'
import { oldName, tableNames } from './tables.ts'
import type { Item } from './verdict.ts'

export type Sabotage = Readonly<{
  /** The records of one partition. */
  records(items: AsyncIterable<Item>): AsyncIterable<Item>
  tables(old: Database): Promise<void>
  answers(answers: readonly RecordedAnswer[]): readonly RecordedAnswer[]
}>

export const none: Sabotage = { records: (items) => items, tables: async () => {}, answers: (answers) => answers }

/** The index of the changed record in each partition. Any index would do. */
const bentRecord = 100

/** Changes one byte in each partition, one value in each table, and one character in an answer of each route. */
export const everywhere: Sabotage = {
  async *records(items) {
    let count = 0
    for await (const item of items) yield ++count === bentRecord ? { ...item, bytes: bent(item.bytes) } : item
  },
  async tables(old) {
    for (const table of await tableNames(old, oldName)) {
      const { column, value, where } = await changeOf(old, table)
      await old.command(
        `ALTER TABLE ${oldName}.${table} UPDATE ${column} = ${value} WHERE ${where} SETTINGS mutations_sync = 2`,
      )
    }
  },
  answers(answers) {
    const lasts = new Set(new Map(answers.map((answer) => [routeOf(answer.path), answer])).values())
    return answers.map((answer) => (lasts.has(answer) ? { ...answer, body: `${answer.body.slice(0, -1)}]` } : answer))
  },
}

function bent(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  const last = copy.length - 1
  copy[last] = (copy[last] ?? 0) ^ 1
  return copy
}

type Change = Readonly<{ column: string; value: string; where: string }>

async function changeOf(old: Database, table: string): Promise<Change> {
  if (table === 'migrations') return { column: 'checksum', value: "concat(checksum, '0')", where: "name LIKE '0001%'" }
  if (table === 'watermarks')
    return {
      column: 'known_at_ms',
      value: 'known_at_ms + 1',
      where: "topic = 'chain-a-derived' AND log_partition = 0 AND state = 'done'",
    }
  const [first] = await old.query<Readonly<{ log_partition: number; log_offset: string }>>(
    `SELECT log_partition, log_offset FROM ${oldName}.${table} ORDER BY ALL LIMIT 1`,
  )
  const where = `log_partition = ${first?.log_partition ?? 0} AND log_offset = ${first?.log_offset ?? 0}`
  return { column: 'published_at_ms', value: 'published_at_ms + 1', where }
}
