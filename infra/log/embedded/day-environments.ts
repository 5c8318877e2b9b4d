/**
 * A bulk topic has one LMDB environment per day, so that retention deletes folders. Environments are opened on demand.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TopicName } from '../../../schemas/topics.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import type { Environment, OpenEnvironment } from '../../data-dir/lmdb.ts'

export type DayEnvironments = Readonly<{
  /** For writing; created if it does not exist. */
  create(topic: TopicName, day: string): Environment
  /** For reading, at its newest state. Null if its folder does not exist. */
  find(topic: TopicName, day: string): Environment | null
  removeBefore(topic: TopicName, day: string): Promise<void>
  close(): Promise<void>
}>

/** The day in UTC. Names sort like days. */
export const dayOf = (atMs: EpochMs): string => new Date(atMs).toISOString().slice(0, 10)

/** Number of lookups between two sweeps of removed days. At the head of a log that takes seconds. */
const findsPerCheck = 64

export function createDayEnvironments(open: OpenEnvironment, folder: string): DayEnvironments {
  const opened = new Map<string, Environment>()
  let finds = 0

  const openAt = (path: string): Environment => {
    const environment = open(path)
    opened.set(path, environment)
    return environment
  }

  /**
   * Null if another process has removed it in the meantime. Only the writing process removes days, and its open would
   * create the folder again.
   */
  const openExisting = (path: string): Environment | null => {
    try {
      return openAt(path)
    } catch (error) {
      if (existsSync(join(path, 'data.mdb'))) throw error
      return null
    }
  }

  const find = (topic: TopicName, day: string): Environment | null => {
    const path = join(folder, topic, day)
    // A reader at the head never looks up removed days, so without this it would keep their disk space in use.
    if (++finds % findsPerCheck === 0) closeRemoved(opened)
    // Checked for an open day too, because records written to a removed folder would be lost.
    if (!existsSync(path)) {
      closeRemoved(opened)
      return null
    }
    const environment = opened.get(path) ?? openExisting(path)
    environment?.resetReadTxn()
    return environment
  }

  return {
    find,
    create: (topic, day) => find(topic, day) ?? openAt(join(folder, topic, day)),
    removeBefore: async (topic, firstKeptDay) => {
      const topicFolder = join(folder, topic)
      if (!existsSync(topicFolder)) return
      for (const day of readdirSync(topicFolder)) {
        if (day >= firstKeptDay) continue
        const path = join(topicFolder, day)
        const environment = opened.get(path)
        opened.delete(path)
        await environment?.close()
        // A reader in another process may create its lock file in the folder in the meantime.
        rmSync(path, { recursive: true, force: true, maxRetries: 3 })
      }
    },
    close: async () => {
      const all = [...opened.values()]
      opened.clear()
      for (const environment of all) await environment.close()
    },
  }
}

/** Closes the days that another thread removed, because their disk space is freed only when no thread has them open. */
function closeRemoved(opened: Map<string, Environment>): void {
  for (const [path, environment] of [...opened]) {
    if (existsSync(path)) continue
    opened.delete(path)
    void environment.close()
  }
}
