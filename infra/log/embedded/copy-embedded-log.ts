/**
 * Copies the embedded log while its owner may write to it.
 *
 * LMDB copies each environment at one commit, but it copies one environment after the other. The copy is still
 * one state of the log, because the index is copied first:
 * - The main environment has the index, which decides which records exist. It also has all records of the topics
 *   that are not kept by day, among them the payments.
 * - An append commits its blocks to the days before it commits the index. So the days, which are copied later, have
 *   every block that the copied index covers. No append, retention or compaction changes such a block.
 * - The days can also have blocks of later appends. These blocks are past the end offsets of the copied index, like
 *   the blocks of a crashed append: no reader reads them, and the next append to the partition removes them.
 * - A schema is registered before the first record that needs it, so the table of schemas is copied later too.
 * - Retention waits for this reader. If retention did not see the reader in time and removes a day, the copy fails.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { dataDirOwner } from '../../data-dir/data-dir-lock.ts'
import { examineEnvironments } from '../../data-dir/examine-environments.ts'
import { type Environment, loadLmdbReadOnly } from '../../data-dir/lmdb.ts'
import { holdForReader } from '../../data-dir/reader-holds.ts'
import { OperationError } from '../../errors.ts'
import { checkLogExists } from './embedded-reader.ts'

const indexName = 'main'

/**
 * Copies the log of `dataDir` into the folder `target`, which it creates. Between two environments, checks the
 * signal. Fails with `log_missing` if there is no log, with `log_corrupt` if a file is damaged, and with
 * `range_not_held` if retention removes a day.
 */
export async function copyEmbeddedLog(
  dataDir: string,
  target: string,
  signal: Pick<AbortSignal, 'throwIfAborted'>,
): Promise<void> {
  checkLogExists(dataDir)
  const folder = join(dataDir, 'log')
  const hold = holdForReader(dataDir)
  try {
    if ((await dataDirOwner(dataDir)) === null) await examineEnvironments(dataDir)
    const open = await loadLmdbReadOnly(dataDir)
    const copy = async (name: string): Promise<void> => {
      signal.throwIfAborted()
      await copyEnvironment(
        openOrRefuse(() => open(join(folder, name)), join(folder, name)),
        join(target, name),
      )
    }
    // The days are listed also before the index is copied. Otherwise, a day that retention removes in between would
    // be missing without an error.
    const listed = environmentsIn(folder)
    await copy(indexName)
    const others = new Set([...listed, ...environmentsIn(folder)])
    others.delete(indexName)
    for (const name of others) await copy(name)
  } finally {
    hold.release()
  }
}

function openOrRefuse(open: () => Environment, folder: string): Environment {
  try {
    return open()
  } catch (cause) {
    if (existsSync(join(folder, 'data.mdb'))) throw cause
    throw new OperationError(
      'range_not_held',
      `retention removed ${folder} before it was copied. Run the command again`,
      {
        cause,
      },
    )
  }
}

async function copyEnvironment(environment: Environment, target: string): Promise<void> {
  try {
    mkdirSync(target, { recursive: true, mode: 0o700 })
    // Pages are copied as they are. A compacting copy is a little smaller, but fails if the file has lost pages.
    await environment.backup(target, false)
    chmodSync(join(target, 'data.mdb'), 0o600)
  } finally {
    await environment.close()
  }
}

/** The folders of all environments, relative to the folder of the log. */
function environmentsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => existsSync(join(folder, name, 'data.mdb')))
    .sort()
}
