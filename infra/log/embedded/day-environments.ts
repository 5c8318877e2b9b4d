/**
 * The LMDB environments of bulk topics (`Topic.isBulk`). Each bulk topic has one environment for each day, so
 * that retention deletes whole folders. Environments are opened when they are needed.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TopicName } from '../../../schemas/topics.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import type { Environment, OpenEnvironment } from '../../data-dir/lmdb.ts'

export type DayEnvironments = Readonly<{
  /** Returns an environment for writing, and creates it if it does not exist. */
  create(topic: TopicName, day: string): Environment
  /** Returns an environment for reading, at its newest state. Null if its folder does not exist. */
  find(topic: TopicName, day: string): Environment | null
  removeBefore(topic: TopicName, day: string): Promise<void>
  close(): Promise<void>
}>

/** The name of the UTC day. The names of days sort in the order of the days. */
export const dayOf = (atMs: EpochMs): string => new Date(atMs).toISOString().slice(0, 10)

/**
 * The number of calls of `find` between two calls of `closeRemoved`. A reader at the end of the log calls
 * `find` this many times within seconds.
 */
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
   * Opens an existing environment. Returns null if the process that owns the log has removed the folder in
   * the meantime. Only a reader in another process can get null. In the process that owns the log, opening a
   * removed folder would create the folder again.
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
    // A reader at the end of the log never asks for removed days. Without this call, their environments would
    // stay open and take disk space.
    if (++finds % findsPerCheck === 0) closeRemoved(opened)
    // The folder is checked even if the day is open, because records that are written to a removed folder would be
    // lost.
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
        // The removal is retried. A reader in another process may create its lock file in the folder in the
        // meantime.
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

/**
 * Closes the environments of days that another thread removed. Their disk space is freed only when no thread
 * has them open.
 */
function closeRemoved(opened: Map<string, Environment>): void {
  for (const [path, environment] of [...opened]) {
    if (existsSync(path)) continue
    opened.delete(path)
    void environment.close()
  }
}
