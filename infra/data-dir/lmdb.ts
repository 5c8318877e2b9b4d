/** Opens LMDB environments the one way that this project uses them. */
import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Key, RootDatabase } from 'lmdb'
import { OperationError } from '../errors.ts'

export type Environment = RootDatabase<Buffer, Key>
export type OpenEnvironment = (folder: string) => Environment

/** Address space, not disk: fixed and large, because growing a map under other threads' feet is not safe. */
const mapBytes = 2 ** 38

/** Fails with `dependency_missing` where the optional package is not installed. */
export async function loadLmdb(load: () => Promise<typeof import('lmdb')> = () => import('lmdb')) {
  const { open } = await load().catch((cause: unknown) => {
    throw new OperationError(
      'dependency_missing',
      'the embedded log needs the package lmdb, which is not installed: install it, or set KAFKA_BROKERS',
      { cause },
    )
  })
  const openEnvironment: OpenEnvironment = (folder) => {
    mkdirSync(folder, { recursive: true })
    const environment = open<Buffer, Key>({
      path: folder,
      noSubdir: false,
      encoding: 'binary',
      mapSize: mapBytes,
      // Nobody may read what a power cut can still take away: a commit becomes visible after it is on disk.
      overlappingSync: false,
    })
    syncFolder(folder)
    syncFolder(dirname(folder))
    syncFolder(dirname(dirname(folder)))
    return environment
  }
  return openEnvironment
}

/** A new file survives a power cut only when its folder is on disk too. Windows has no such call. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

export const numberRow = (value: number): Buffer => {
  const row = Buffer.allocUnsafe(8)
  row.writeDoubleBE(value)
  return row
}

export const rowNumber = (row: Buffer | undefined): number | undefined => row?.readDoubleBE()
