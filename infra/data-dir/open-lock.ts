/**
 * The lock under which processes open and write the LMDB environments of a data directory.
 *
 * A process that opens an environment first reads the id of the newest transaction. Then it writes this id
 * into the lock file, which all processes share (`mdb_env_open2`). If another process commits between these
 * steps, the lock file holds an old id. The next transaction then starts from the old state, and that commit
 * is lost without an error. So nobody may commit while another process opens an environment.
 *
 * This lock is the write lock of a separate LMDB environment. Nobody commits to that environment, so opening
 * it is safe. The operating system frees the lock if its holder is killed.
 */
import type { Environment, OpenEnvironment } from './lmdb.ts'

/** A flag of `transactionSync`. If a transaction is already open, the callback runs in that transaction. */
const notNested = 2

/**
 * Adds the lock to `open`: opening an environment and running its transactions both wait for the lock.
 * `openLock` opens the environment of the lock. The lock is closed together with the last of the other
 * environments. Within a transaction, do not write to an environment from another call of `underOpenLock`,
 * because both wait for the lock.
 */
export function underOpenLock(open: OpenEnvironment, openLock: () => Environment): OpenEnvironment {
  let lock: Environment | null = null
  let openCount = 0
  const hold = (work: () => void): void => {
    lock ??= openLock()
    lock.transactionSync(work, notNested)
  }
  const closeLock = async (): Promise<void> => {
    const unused = openCount === 0 ? lock : null
    if (unused) lock = null
    await unused?.close()
  }

  const lockTransactionsOf = (environment: Environment): void => {
    const { transactionSync, close } = environment
    let isClosed = false
    environment.transactionSync = (work, flags) => {
      if (isClosed) return transactionSync.call(environment, work, flags) as ReturnType<typeof work>
      let result: unknown
      hold(() => {
        result = transactionSync.call(environment, work, flags)
      })
      return result as ReturnType<typeof work>
    }
    environment.close = async () => {
      await close.call(environment)
      if (!isClosed) openCount--
      isClosed = true
      await closeLock()
    }
  }

  return (folder) => {
    let environment: Environment | undefined
    try {
      hold(() => {
        environment = open(folder)
      })
    } catch (error) {
      void closeLock()
      throw error
    }
    openCount++
    lockTransactionsOf(environment as Environment)
    return environment as Environment
  }
}
