/**
 * The check of the data folder by `launch-data doctor`: whether it is writable, which process uses it, and
 * how much space is free. The check creates nothing.
 */
import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Check, examine, ok, wrong } from '../../check.ts'
import type { Config } from '../../config.ts'
import { dataDirOwner } from '../../data-dir/data-dir-lock.ts'
import { isOperationError } from '../../errors.ts'

const freeBytesMin = 2 ** 30

export function checkDataDir({ DATA_DIR: dataDir }: Config): Promise<Check> {
  const name = 'data folder'
  return examine({ name, toDo: 'give this user the right to write there, or choose another DATA_DIR' }, async () => {
    const folder = resolve(dataDir)
    const existing = await nearestExisting(folder)
    const isThere = existing === folder
    await access(existing, constants.W_OK)
    const { bavail, bsize } = await statfs(existing)
    const free = `${(Number(bavail * bsize) / 2 ** 30).toFixed(1)} GiB free`
    const says = isThere ? `${folder}, ${await ownership(folder)}, ${free}` : `${folder} will be made, ${free}`
    return bavail * bsize < freeBytesMin
      ? wrong(name, says, `free at least ${freeBytesMin / 2 ** 30} GiB, or choose another DATA_DIR`)
      : ok(name, says)
  })
}

async function ownership(folder: string): Promise<string> {
  try {
    const pid = await dataDirOwner(folder)
    return pid === null ? 'not in use' : `in use by process ${pid}`
  } catch (error) {
    // Only a process with the package lmdb can lock the folder. The package is not installed, so no process has the
    // lock.
    if (isOperationError(error, 'dependency_missing')) return 'not in use'
    throw error
  }
}

async function nearestExisting(folder: string): Promise<string> {
  for (let path = folder; ; path = dirname(path)) {
    try {
      await access(path)
      return path
    } catch (error) {
      if (path === dirname(path)) throw error
    }
  }
}
