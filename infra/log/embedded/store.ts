/** The LMDB environments of the embedded log. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TopicName, TopicTable } from '../../../schemas/topics.ts'
import { type Environment, loadLmdb, loadLmdbReadOnly, type OpenEnvironment } from '../../data-dir/lmdb.ts'
import { OperationError } from '../../errors.ts'
import { addRowSums, isOfBefore } from './checked-rows.ts'
import { createDayEnvironments, type DayEnvironments } from './day-environments.ts'
import { createEmbeddedIndex, type EmbeddedIndex } from './index-rows.ts'

export type EmbeddedStore = Readonly<{
  /** The index, and the blocks of all topics except bulk topics. */
  main: Environment
  index: EmbeddedIndex
  days: DayEnvironments
  topicTable: TopicTable
  close(): Promise<void>
}>

/** The store without the environments of days. */
export type IndexedStore = Pick<EmbeddedStore, 'main' | 'index' | 'topicTable'>

export async function openEmbeddedStore(dataDir: string, topicTable: TopicTable): Promise<EmbeddedStore> {
  const open = await loadLmdb(dataDir)
  const folder = join(dataDir, 'log')
  // Only this user may read the log, because it contains posts of private chats.
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return storeOf(open, { folder, topicTable, prepare: addRowSums })
}

export async function openReadOnlyStore(dataDir: string, topicTable: TopicTable): Promise<EmbeddedStore> {
  const open = await loadLmdbReadOnly(dataDir)
  return storeOf(open, { folder: join(dataDir, 'log'), topicTable, prepare: refuseBefore })
}

type StoreDependencies = Readonly<{ folder: string; topicTable: TopicTable; prepare(main: Environment): void }>

async function storeOf(
  open: OpenEnvironment,
  { folder, topicTable, prepare }: StoreDependencies,
): Promise<EmbeddedStore> {
  const main = open(join(folder, 'main'))
  const days = createDayEnvironments(open, folder)
  const index = createEmbeddedIndex(main)
  const close = async () => {
    await days.close()
    await main.close()
  }
  try {
    prepare(main)
    index.checkPartitionCounts(topicTable)
  } catch (error) {
    await close()
    throw error
  }
  return { main, index, days, topicTable, close }
}

function refuseBefore(main: Environment): void {
  if (isOfBefore(main))
    throw new OperationError(
      'log_failed',
      'an earlier version wrote the log, without checksums. Start the service one time, which adds checksums',
    )
}

/**
 * Whether the topic's blocks are in one environment for each day. Only bulk topics have these environments,
 * because each append to such a topic needs a second commit to disk. The output of a processing stage should
 * not wait for this commit.
 */
export const isKeptByDay = ({ topicTable }: Pick<EmbeddedStore, 'topicTable'>, topic: TopicName): boolean =>
  topicTable[topic]?.isBulk === true
