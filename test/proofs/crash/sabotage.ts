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

/**
 * Writes the rows of a batch after the confirmation of the batch. At the third batch, the process dies
 * between the confirmation and the rows.
 */
export function confirmFirst(database: Database): Database {
  const held: Parameters<Database['insert']>[0][] = []
  let confirmedWithRows = 0
  return {
    ...database,
    insert: async (insert) => {
      const isConfirmation = insert.table === 'watermarks' && insert.rows.some((row) => row.includes('done'))
      if (insert.table !== 'watermarks' && insert.table !== 'migrations') {
        held.push(insert)
        return
      }
      await database.insert(insert)
      if (!isConfirmation || held.length === 0) return
      confirmedWithRows++
      if (confirmedWithRows === 3) process.kill(process.pid, 'SIGKILL')
      for (const rows of held.splice(0)) await database.insert(rows)
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
