/** The environments of the embedded log and what each of them holds. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TopicName, TopicTable } from '../../../schemas/topics.ts'
import { type Environment, loadLmdb } from '../../data-dir/lmdb.ts'
import { createDayEnvironments, type DayEnvironments } from './day-environments.ts'
import { createEmbeddedIndex, type EmbeddedIndex } from './index-rows.ts'

export type EmbeddedStore = Readonly<{
  /** The index, and the blocks of topics without a retention. */
  main: Environment
  index: EmbeddedIndex
  days: DayEnvironments
  topicTable: TopicTable
  close(): Promise<void>
}>

export async function openEmbeddedStore(folder: string, topicTable: TopicTable): Promise<EmbeddedStore> {
  const open = await loadLmdb()
  mkdirSync(folder, { recursive: true })
  const main = open(join(folder, 'main'))
  const days = createDayEnvironments(open, folder)
  const index = createEmbeddedIndex(main)
  const close = async () => {
    await days.close()
    await main.close()
  }
  try {
    index.checkPartitionCounts(topicTable)
  } catch (error) {
    await close()
    throw error
  }
  return { main, index, days, topicTable, close }
}

/**
 * Whether a topic's blocks are in an environment a day. Only the facts are, which are most of the log: a day's environment
 * is a commit of its own before the main one, and a stage's answer should not wait for two.
 */
export const isKeptByDay = (topic: TopicName): boolean => topic === 'chain-a-facts'
