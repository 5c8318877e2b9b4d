/**
 * The lock under which processes open and write the LMDB environments of a data directory.
 *
 * A process that opens an environment reads the id of the newest transaction and then writes this id into the lock file
 * that all processes share (`mdb_env_open2`). If the owner commits in between, the lock file has an old id. The next
 * transaction then starts from the state before that commit, and the commit is lost without an error. So nobody may
 * commit while another process opens an environment.
 *
 * The lock is LMDB's write lock of an environment to which nobody commits, so opening this environment is safe. The
 * system frees the lock if its holder is killed.
 */
import type { Environment, OpenEnvironment } from './lmdb.ts'

/** Runs the callback of `transactionSync` in the transaction that is already open, if there is one. */
const notNested = 2

/**
 * Returns `open` with the lock: the returned function and the transactions of the environments that it returns wait for
 * the lock. `openLock` opens the environment of the lock. It is closed with the last of the others. Do not write to an
 * environment of one call within a transaction of another call, because both would wait for the lock.
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
