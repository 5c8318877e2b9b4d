/** Breaks guarantees of the log and the database on purpose. A proof must notice each of these faults. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import type { Log } from '../../../infra/log/log.ts'
import type { TopicName } from '../../../schemas/topics.ts'

/**
 * Lets an old writer continue beside a new writer, because each writer gets its own name. `worker`
 * distinguishes the writers of several logs.
 */
export function withoutFence(log: Log, worker = ''): Log {
  let opened = 0
  return { ...log, openWriter: (writerId, options) => log.openWriter(`${writerId} ${worker}${++opened}`, options) }
}

/** Hides the records of the topic. So the writer of the topic acts as if it had published nothing. */
export function hiding(log: Log, hidden: TopicName): Log {
  return {
    ...log,
    read: async (position, options) => (position.topic === hidden ? [] : log.read(position, options)),
    bounds: async (topic, partition) =>
      topic === hidden ? { startOffset: 0, endOffset: 0 } : log.bounds(topic, partition),
  }
}

type Insert = Parameters<Database['insert']>[0]

/** The topic of the rows of a batch, whose token is `<table> <topic> <bounds>`. Undefined: the rows are of no batch. */
const topicOf = ({ table, token }: Insert): string | undefined =>
  table === 'watermarks' || table === 'migrations' ? undefined : token?.split(' ')[1]

const confirms = ({ table, rows }: Insert, topic: string): boolean =>
  table === 'watermarks' && rows.some((row) => row.includes('done') && row.includes(topic))

/**
 * Writes the rows of a batch after the confirmation of the batch. At the third batch with rows, the process dies
 * between the confirmation and the rows. The topics are projected side by side, so each keeps its own rows.
 */
export function confirmFirst(database: Database): Database {
  const held = new Map<string, Insert[]>()
  let confirmedWithRows = 0
  return {
    ...database,
    insert: async (insert) => {
      const topic = topicOf(insert)
      if (topic !== undefined) {
        held.set(topic, [...(held.get(topic) ?? []), insert])
        return
      }
      await database.insert(insert)
      for (const [confirmed, inserts] of [...held].filter(([key]) => confirms(insert, key))) {
        confirmedWithRows++
        if (confirmedWithRows === 3) process.kill(process.pid, 'SIGKILL')
        for (const rows of inserts) await database.insert(rows)
        held.delete(confirmed)
      }
    },
  }
}

/** Each append to the topic is written twice, as if by two writers. */
export function writingTwice(log: Log, topic: TopicName): Log {
  return {
    ...log,
    openWriter: async (writerId, options) => {
      const writer = await log.openWriter(writerId, options)
      return {
        ...writer,
        append: async (records) => {
          await writer.append(records)
          if (records.some((record) => record.topic === topic)) await writer.append(records)
        },
      }
    },
  }
}
