/**
 * The lock of a data directory. At most one process owns the directory. A small LMDB environment stores the
 * owner's process id and start time. A new owner checks for an old owner and writes its own entry under
 * LMDB's write lock. So no other process can act in between.
 *
 * A killed owner does not block other processes, because no running process has its id and start time. An
 * owner in another PID namespace looks as if it had ended. Therefore two containers must not mount the same
 * directory.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OperationError } from '../errors.ts'
import { type Environment, loadLmdb, loadLmdbReadOnly } from './lmdb.ts'
import { processStart } from './process-start.ts'

export type DataDirLock = Readonly<{ release(): Promise<void> }>

type Owner = Readonly<{ pid: number; startedAt: string; lockId: string }>

/**
 * Takes the directory for this process. Fails with `data_dir_in_use` if a running process already owns the
 * directory. That process can also be this one. The error names the owner.
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  const open = await loadLmdb(dataDir)
  const environment = open(join(dataDir, 'owner'))
  const lockId = crypto.randomUUID()
  try {
    take(environment, { pid: process.pid, startedAt: processStart(process.pid) ?? '', lockId }, dataDir)
  } catch (error) {
    await environment.close()
    throw error
  }
  let isReleased = false
  return {
    release: async () => {
      if (isReleased) return
      isReleased = true
      environment.transactionSync(() => {
        if (ownerIn(environment)?.lockId === lockId) environment.removeSync('owner')
      })
      await environment.close()
    },
  }
}

/** The id of the running process that owns the directory. Null if there is none. Writes nothing. */
export async function dataDirOwner(dataDir: string): Promise<number | null> {
  if (!existsSync(join(dataDir, 'owner', 'data.mdb'))) return null
  const open = await loadLmdbReadOnly(dataDir)
  const environment = open(join(dataDir, 'owner'))
  try {
    const owner = ownerIn(environment)
    return owner && processStart(owner.pid) === owner.startedAt ? owner.pid : null
  } finally {
    await environment.close()
  }
}

function take(environment: Environment, me: Owner, dataDir: string): void {
  environment.transactionSync(() => {
    const owner = ownerIn(environment)
    if (owner && processStart(owner.pid) === owner.startedAt)
      throw new OperationError(
        'data_dir_in_use',
        `${dataDir} is in use by process ${owner.pid}. Stop that process, or choose another DATA_DIR`,
        { context: { pid: owner.pid } },
      )
    environment.putSync('owner', Buffer.from(JSON.stringify(me)))
  })
}

function ownerIn(environment: Environment): Owner | undefined {
  const row = environment.get('owner')
  return row && (JSON.parse(row.toString()) as Owner)
}
