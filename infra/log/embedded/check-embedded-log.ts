import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { topics } from '../../../schemas/topics.ts'
import { type Check, examine, ok, wrong } from '../../check.ts'
import { dataDirOwner } from '../../data-dir/data-dir-lock.ts'
import { examineEnvironments } from '../../data-dir/examine-environments.ts'
import { type Environment, loadLmdb } from '../../data-dir/lmdb.ts'
import { isOperationError } from '../../errors.ts'
import { checkRows, isOfBefore } from './checked-rows.ts'
import { createEmbeddedIndex } from './index-rows.ts'
import { countUnchecked, noticeOf } from './unchecked.ts'

const name = 'log'
const where = 'embedded in the data folder, for one process: "launch-data up" (KAFKA_BROKERS is not set)'

/**
 * The check of the embedded log by `launch-data doctor`. Like the start of the service, this check reads all
 * files. The checksums of blocks are checked later, when the blocks are read.
 */
export function checkEmbeddedLog(dataDir: string): Promise<Check> {
  return examine({ name, toDo: 'install the optional package lmdb (npm ci), or set KAFKA_BROKERS' }, async () => {
    const open = await loadLmdb(dataDir)
    const folder = join(dataDir, 'log', 'main')
    if (!existsSync(folder)) return ok(name, where)
    try {
      await examineEnvironments(dataDir)
      const pid = await dataDirOwner(dataDir)
      if (pid !== null) return ok(name, `${where}; process ${pid} has the log open, and checked its index at the start`)
      return ok(name, await describeIndex(open(folder)))
    } catch (error) {
      if (!isOperationError(error, 'log_corrupt')) throw error
      return wrong(name, error.message, 'see "Damage" in infra/docs/operations.md')
    }
  })
}

async function describeIndex(main: Environment): Promise<string> {
  try {
    return [where, noteOn(main)].filter((note) => note !== null).join('; ')
  } finally {
    await main.close()
  }
}

function noteOn(main: Environment): string | null {
  if (isOfBefore(main))
    return 'the blocks of the log have no checksums yet, but blocks that are written after the next start will have checksums'
  checkRows(main)
  return noticeOf(countUnchecked({ main, index: createEmbeddedIndex(main), topicTable: topics }))
}
