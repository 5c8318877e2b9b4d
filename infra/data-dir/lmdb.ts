/** Opens LMDB environments, all with the same settings. */
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Key, RootDatabase } from 'lmdb'
import { OperationError } from '../errors.ts'
import { underOpenLock } from './open-lock.ts'
import { syncFolder } from './sync-folder.ts'

export type Environment = RootDatabase<Buffer, Key>
export type OpenEnvironment = (folder: string) => Environment

const files = new WeakMap<Environment, string>()

/** The path of an environment's file, for messages. */
export const fileOf = (environment: Environment): string => files.get(environment) ?? 'a file of the log'

/**
 * The size of the memory map of an environment, in bytes. The map takes only address space, and no disk
 * space. The size is fixed and large, because a map must not grow while other threads use it.
 */
const mapBytes = 2 ** 38

type LoadLmdb = () => Promise<typeof import('lmdb')>

/**
 * Returns a function that opens an environment of the data directory for reading and writing. The function creates a
 * missing environment. Fails with `dependency_missing` if the optional package is not installed.
 */
export async function loadLmdb(dataDir: string, load?: LoadLmdb): Promise<OpenEnvironment> {
  const create = creatorOf(await openerOf(load))
  return underOpenLock(create, () => create(lockIn(dataDir)))
}

/**
 * Returns a function that opens an existing environment of the data directory for reading. Another process
 * may write to the environment at the same time. The reader writes only an entry in LMDB's lock file. This
 * entry keeps the writer from reusing pages that the reader still needs.
 */
export async function loadLmdbReadOnly(dataDir: string): Promise<OpenEnvironment> {
  const open = await openerOf()
  const create = creatorOf(open)
  return underOpenLock(
    (folder) => open(folder, true),
    () => create(lockIn(dataDir)),
  )
}

/**
 * The folder of the lock that is held while environments are opened. `walk-environments.js` uses the same
 * folder.
 */
const lockIn = (dataDir: string): string => join(dataDir, 'open-lock')

type Open = (folder: string, readOnly: boolean) => Environment

const creatorOf =
  (open: Open): OpenEnvironment =>
  (folder) => {
    mkdirSync(folder, { recursive: true })
    const environment = open(folder, false)
    syncFolder(folder)
    syncFolder(dirname(folder))
    syncFolder(dirname(dirname(folder)))
    return environment
  }

async function openerOf(load: LoadLmdb = () => import('lmdb')): Promise<Open> {
  const { open } = await load().catch((cause: unknown) => {
    throw new OperationError(
      'dependency_missing',
      'the embedded log needs the package lmdb, which is not installed. Install it, or set KAFKA_BROKERS',
      { cause },
    )
  })
  return (folder, readOnly) => {
    const environment = open<Buffer, Key>({
      path: folder,
      noSubdir: false,
      encoding: 'binary',
      mapSize: mapBytes,
      // A commit becomes visible only when it is on disk. So no reader sees data that a power cut can still remove.
      overlappingSync: false,
      readOnly,
    })
    files.set(environment, join(folder, 'data.mdb'))
    return environment
  }
}

export const numberRow = (value: number): Buffer => {
  const row = Buffer.allocUnsafe(8)
  row.writeDoubleBE(value)
  return row
}

export const rowNumber = (row: Buffer | undefined): number | undefined => row?.readDoubleBE()
