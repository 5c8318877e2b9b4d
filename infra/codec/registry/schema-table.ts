/**
 * The two schema registries of this program: one in memory, and one on disk in the folder of the embedded
 * log. They follow the compatibility rules of Confluent's registry.
 */
import { join } from 'node:path'
import type { AvroRecord } from '../../../schemas/avro.ts'
import { isSealed, logDamaged, sealed, unseal } from '../../checked-bytes.ts'
import { type Environment, fileOf, loadLmdb, loadLmdbReadOnly } from '../../data-dir/lmdb.ts'
import { OperationError } from '../../errors.ts'
import { type SchemaRegistry, whyUnreadable } from '../schema-codec.ts'

type Registered = Readonly<{ id: number; subject: string; schema: AvroRecord }>

/** `text` is the schema as JSON. Equal schemas have equal texts. */
type Row = Registered & Readonly<{ text: string }>

const rowOf = (registered: Registered): Row => ({ ...registered, text: JSON.stringify(registered.schema) })

/**
 * Creates a registry in memory. It gives ids 1, 2, 3 … in the order of registration. A schema has the same id under
 * every subject.
 */
export function createMemoryRegistry(): SchemaRegistry {
  const table: Row[] = []
  return {
    register: async (subject, schema) => {
      const known = idOf(table, subject, schema)
      if (known !== undefined) return known
      const added = admit(table, subject, schema)
      table.push(rowOf(added))
      return added.id
    },
    fetch: async (id) => table.find((entry) => entry.id === id)?.schema ?? null,
  }
}

export type EmbeddedRegistry = SchemaRegistry & Readonly<{ close(): Promise<void> }>

/**
 * Opens a registry in `dataDir`/log/schemas, shared by all threads of the process. Fails with
 * `dependency_missing` if the package lmdb is not installed.
 */
export async function createEmbeddedRegistry({ dataDir }: Readonly<{ dataDir: string }>): Promise<EmbeddedRegistry> {
  const open = await loadLmdb(dataDir)
  const environment = open(join(dataDir, 'log', 'schemas'))
  const rows = createRows(environment)
  try {
    addSums(environment)
  } catch (error) {
    await environment.close()
    throw error
  }

  return {
    register: async (subject, schema) => {
      environment.resetReadTxn()
      return (
        idOf(rows(), subject, schema) ??
        environment.transactionSync(() => {
          const table = rows()
          const known = idOf(table, subject, schema)
          if (known !== undefined) return known
          const added = admit(table, subject, schema)
          putRow(environment, table.length + 1, Buffer.from(JSON.stringify(added)))
          return added.id
        })
      )
    },
    fetch: async (id) => {
      environment.resetReadTxn()
      return rows().find((entry) => entry.id === id)?.schema ?? null
    },
    close: () => environment.close(),
  }
}

/**
 * Opens the registry on disk for a process that does not own `dataDir`, and never writes to it. For a schema
 * that is not stored, `register` only returns an id that no record has.
 */
export async function openEmbeddedRegistryReader(dataDir: string): Promise<EmbeddedRegistry> {
  const open = await loadLmdbReadOnly(dataDir)
  const environment = open(join(dataDir, 'log', 'schemas'))
  let unusedId = 0xffff_ffff
  const rows = createRows(environment)
  const table = () => {
    environment.resetReadTxn()
    return rows()
  }
  return {
    register: async (subject, schema) => {
      const known = idOf(table(), subject, schema)
      if (known !== undefined) return known
      admit(table(), subject, schema)
      return unusedId--
    },
    fetch: async (id) => table().find((entry) => entry.id === id)?.schema ?? null,
    close: () => environment.close(),
  }
}

/**
 * Returns a function that reads all rows of the schema table. The rows are numbered 1, 2, 3 …, and each row
 * has a checksum. Rows never change, so each call reads only the rows that were added after the previous
 * call. It fails with `log_corrupt` if one of these rows is damaged or missing.
 */
function createRows(environment: Environment): () => readonly Row[] {
  const rows: Row[] = []
  return () => {
    for (const { key, value } of environment.getRange({ start: rows.length + 1 })) {
      const body = key === rows.length + 1 ? unseal(nameOf(key), value) : null
      if (body === null) throw damaged(environment, rows.length + 1)
      rows.push(rowOf(JSON.parse(body.toString())))
    }
    return rows
  }
}

const putRow = (environment: Environment, key: number, body: Buffer) =>
  environment.putSync(key, sealed(nameOf(key), body))

const nameOf = (key: number): string => `schema/${key}`

/**
 * Adds checksums to the rows that an older version of this program wrote without checksums. Those rows are
 * JSON, and no row with a checksum begins like JSON.
 */
function addSums(environment: Environment): void {
  const isOld = ({ value }: { value: Buffer }) => !isSealed(value) && value.toString('latin1', 0, 6) === '{"id":'
  if (![...environment.getRange({ start: 1 })].some(isOld)) return
  environment.transactionSync(() => {
    for (const row of [...environment.getRange({ start: 1 })])
      if (isOld(row)) putRow(environment, Number(row.key), row.value)
  })
}

function damaged(environment: Environment, row: number): OperationError {
  const file = fileOf(environment)
  return logDamaged(`row ${row} of the table of schemas in ${file} is damaged`, { row, file })
}

function idOf(table: readonly Row[], subject: string, schema: AvroRecord): number | undefined {
  const text = JSON.stringify(schema)
  return table.find((entry) => entry.subject === subject && entry.text === text)?.id
}

/**
 * Returns the new row for a schema. Fails if the schema cannot read records of every earlier version of the subject
 * (BACKWARD_TRANSITIVE).
 */
function admit(table: readonly Row[], subject: string, schema: AvroRecord): Registered {
  const versions = table.filter((entry) => entry.subject === subject)
  versions.forEach((written, index) => {
    const reason = whyUnreadable(schema, written.schema)
    if (reason !== null)
      throw new OperationError(
        'schema_incompatible',
        `the new schema of ${subject} cannot read the records of version ${index + 1}: ${reason}. Run the version that wrote the records, or change the schema`,
        { context: { subject, version: index + 1 } },
      )
  })
  const text = JSON.stringify(schema)
  const known = table.find((entry) => entry.text === text)
  const id = known?.id ?? 1 + Math.max(0, ...table.map((entry) => entry.id))
  return { id, subject, schema: structuredClone(schema) }
}
