/**
 * Applies the `.sql` files of all projections to the database. A file must not change after it was applied.
 * Each change of the tables needs a new file.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { Database } from '../../infra/clickhouse/database.ts'
import { OperationError } from '../../infra/errors.ts'
import type { Projection } from '../projection.ts'

/**
 * A change of the tables. `sql` is one statement that may run more than once. After a crash it can run again,
 * because the checksum is stored after the statement was run.
 */
export type Migration = Readonly<{ name: string; sql: string }>

/**
 * Reads the migrations of all projections and of the common tables. They are ordered by file name, regardless
 * of folder.
 */
export async function readMigrations(projections: readonly Projection[]): Promise<readonly Migration[]> {
  const own = projections.flatMap(({ migrations }) => migrations.map(({ href }) => href))
  // Several projections can name the same folder, for example that of the tables about calls.
  const folders = [...new Set([new URL('../migrations/', import.meta.url).href, ...own])].map((href) => new URL(href))
  const found = (await Promise.all(folders.map(migrationsIn))).flat()
  const numbers = found.map(({ name }) => name.slice(0, 4))
  const repeated = numbers.find((number, index) => numbers.indexOf(number) !== index)
  assert(repeated === undefined, `two migrations have the number ${repeated}`)
  return found.sort((left, right) => (left.name < right.name ? -1 : 1))
}

async function migrationsIn(folder: URL): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql'))
  return Promise.all(names.map(async (name) => ({ name, sql: await readFile(new URL(name, folder), 'utf8') })))
}

/** The name of the table that lists the applied files with their checksums. */
export const migrationTable = 'migrations'

export type AppliedMigration = Readonly<{ name: string; state: 'applied' | 'missing' | 'changed' }>

/**
 * Returns, for each migration, whether it is applied, missing or changed. The database must have been
 * migrated before.
 */
export async function compareMigrations(
  database: Pick<Database, 'query'>,
  migrations: readonly Migration[],
): Promise<readonly AppliedMigration[]> {
  const rows = await database.query<Readonly<{ name: string; checksum: string }>>(
    `SELECT name, checksum FROM ${migrationTable}`,
  )
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]))
  return migrations.map((migration) => {
    const known = applied.get(migration.name)
    if (known === undefined) return { name: migration.name, state: 'missing' }
    return { name: migration.name, state: known === checksumOf(migration) ? 'applied' : 'changed' }
  })
}

const checksumOf = ({ sql }: Migration): string =>
  createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex')

type Progress = Readonly<{ info(context: object, message: string): void }>

/**
 * Applies missing migrations in order of name. Fails with `migration_changed` if a file has changed after it
 * was applied.
 */
export async function migrate(database: Database, migrations: readonly Migration[], logger?: Progress): Promise<void> {
  await database.command(
    `CREATE TABLE IF NOT EXISTS ${migrationTable} (name String, checksum String)
     ENGINE = MergeTree ORDER BY name`,
  )
  const states = await compareMigrations(database, migrations)
  const isNew = states.every(({ state }) => state === 'missing')
  for (const [index, migration] of migrations.entries()) {
    const { name, sql } = migration
    const state = states[index]?.state
    if (state === 'applied') continue
    if (state === 'changed')
      throw new OperationError(
        'migration_changed',
        `the migration ${name} was changed after it was applied. Put the change into a new file, or run "launch-data project --rebuild"`,
        { context: { name } },
      )
    if (!isNew) logger?.info({ migration: name }, `the tables are brought up to date: ${name}`)
    await database.command(sql)
    const rows = [[name, checksumOf(migration)]]
    await database.insert({ table: migrationTable, columns: ['name', 'checksum'], rows })
  }
}
