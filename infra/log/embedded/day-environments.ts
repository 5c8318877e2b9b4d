/** One LMDB environment a day for a topic with much data, so that retention is deleting folders. Opened when needed. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TopicName } from '../../../schemas/topics.ts'
import type { Environment, OpenEnvironment } from '../../data-dir/lmdb.ts'

export type DayEnvironments = Readonly<{
  /** For writing: made when it is not there. */
  create(topic: TopicName, day: string): Environment
  /** For reading, at its newest state. Null: its folder is gone. */
  find(topic: TopicName, day: string): Environment | null
  removeBefore(topic: TopicName, day: string): Promise<void>
  close(): Promise<void>
}>

/** Days in UTC, named so that their order is that of their names. */
export const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10)

/** Every so many looks for a day, days that are gone are closed: within seconds at the head of a log. */
const findsPerCheck = 64

export function createDayEnvironments(open: OpenEnvironment, folder: string): DayEnvironments {
  const opened = new Map<string, Environment>()
  let finds = 0

  const openAt = (path: string): Environment => {
    const environment = open(path)
    opened.set(path, environment)
    return environment
  }

  const find = (topic: TopicName, day: string): Environment | null => {
    const path = join(folder, topic, day)
    // Who only follows the log never looks for a day that is gone, and would keep its disk.
    if (++finds % findsPerCheck === 0) closeRemoved(opened)
    // Also for one that is open: what is written to a removed folder is lost, whatever this thread's clock says.
    if (!existsSync(path)) {
      closeRemoved(opened)
      return null
    }
    const environment = opened.get(path) ?? openAt(path)
    environment.resetReadTxn()
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
        rmSync(path, { recursive: true, force: true })
      }
    },
    close: async () => {
      const all = [...opened.values()]
      opened.clear()
      for (const environment of all) await environment.close()
    },
  }
}

/** Days that another thread removed: their disk space is free only once nobody has them open. */
function closeRemoved(opened: Map<string, Environment>): void {
  for (const [path, environment] of [...opened]) {
    if (existsSync(path)) continue
    opened.delete(path)
    void environment.close()
  }
}
