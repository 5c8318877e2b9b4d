/**
 * Fills tables with many days. The service projects one day, and the rows of that day are copied to earlier
 * days.
 */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { ownTablesOf } from '../../../projections/projection.ts'
import { projections } from '../../../projections/projections.ts'
import { readMigrations } from '../../../projections/sink/migrate.ts'
import { subjectRows } from '../../../projections/subject-rows.ts'
import { type AnyTable, columnsOf, stampColumns } from '../../../projections/table.ts'
import { ticks } from '../../../projections/ticks.ts'
import { dayMs } from '../../../schemas/units.ts'

/** The columns of 64-bit integers that end in `_ms` but are not points in time. */
const durations: readonly string[] = ['age_at_call_ms']
/** The columns whose values differ from day to day. Wallets, chats and posters are the same every day. */
const ofOneDay: readonly string[] = ['token', 'pool', 'mint', 'curve', 'market', 'tx_hash', 'place']

/**
 * Copies all rows of the tables to each of the `days - 1` days before, with changed ids of tokens, pools and
 * transactions. The copies have the same form as projected rows. They are in one part per day, as the parts
 * of earlier days are after their merges.
 */
export async function copyToEarlierDays(database: Database, days: number): Promise<void> {
  const tables: readonly AnyTable[] = [ticks, ...projections.flatMap(ownTablesOf)]
  const byName = new Map(tables.map((table) => [table.name, table]))
  // The copy for the oldest day is made first. Each copy reads only the rows of the projected day.
  for (const table of byName.values()) for (let back = days - 1; back > 0; back--) await copyBack(database, table, back)
  await database.command(`TRUNCATE TABLE ${subjectRows.name}`)
  for (const { sql } of await readMigrations(projections))
    if (sql.includes(`INSERT INTO ${subjectRows.name}`)) await database.command(sql)
}

async function copyBack(database: Database, table: AnyTable, back: number): Promise<void> {
  const types = {
    ...Object.fromEntries(Object.entries(table.columns).map(([name, { type }]) => [name, type])),
    ...stampColumns,
  }
  const values = columnsOf(table).map((name) => copyOf(name, String(types[name as keyof typeof types]), back))
  const original = `published_at_ms > (SELECT max(published_at_ms) FROM ${table.name}) - ${2 * dayMs}`
  // Only original rows are copied. Copies are recognised by their publication time, which is set 100 days
  // back.
  await database.command(
    `INSERT INTO ${table.name} (${columnsOf(table).join(', ')}) SETTINGS max_partitions_per_insert_block = 0
     SELECT ${values.join(', ')} FROM ${table.name} WHERE ${original}`,
  )
}

function copyOf(name: string, type: string, back: number): string {
  if (name === 'published_at_ms') return `${name} - ${100 * dayMs}`
  const isInstant = type.includes('Int64') && name.endsWith('_ms') && !durations.includes(name)
  if (isInstant) return `if(${name} = 0, 0, ${name} - ${back * dayMs})`
  return ofOneDay.includes(name) ? renamed(name, back) : name
}

/**
 * Makes the SQL for a new name of the same length and alphabet. A hex name gets other first digits after 0x.
 * A base58 name gets another first character.
 */
const renamed = (name: string, back: number): string => {
  const digits = back.toString(16).padStart(2, '0')
  return `multiIf(${name} = '', '', startsWith(${name}, '0x'), concat('0x${digits}', substring(${name}, 5)), concat('${'ABCDEFGHJKLMNPQRSTUVWXYZ'[back - 1]}', substring(${name}, 2)))`
}
