/**
 * Shares a topic's partitions among the processes that ask for them, by a consumer group that consumes nothing: it says who
 * works on what, and reading stays the log's. That nobody works on a partition twice is not its promise but the writers'.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Topic } from '../../../schemas/topics.ts'
import { isOperationError } from '../../errors.ts'
import { createConnections } from '../../kafka-client/connections.ts'
import { createDirectory } from '../../kafka-client/directory.ts'
import { GroupMember } from '../../kafka-client/group-member.ts'
import type { KafkaSecurity } from '../../kafka-client/security.ts'
import type { Logger } from '../../telemetry.ts'
import { addressOf } from './kafka-log.ts'

export type PartitionShareOptions = Readonly<{
  connection: Readonly<{
    brokers: readonly string[]
    clientId?: string
    topicPrefix?: string
    security?: KafkaSecurity
  }>
  groupId: string
  topic: Topic
  /** Who is not heard of for this long has lost its partitions. Brokers allow 6 s to 30 min by default. */
  sessionMs: number
  signal: AbortSignal
  logger: Logger
  /**
   * Runs until its signal aborts: the partitions are then another's, or soon. It is run again, if the partitions are still
   * ours, after `writer_fenced` and `log_unavailable`; any other failure ends the sharing.
   */
  work(partitions: readonly number[], signal: AbortSignal): Promise<void>
}>

/** Runs until the signal aborts, then leaves the group, so that others need not wait for the session to end. */
export async function sharePartitions(options: PartitionShareOptions): Promise<void> {
  const { connection, groupId, topic, sessionMs, signal, logger } = options
  const { brokers, clientId = 'launch-data', topicPrefix = '', security } = connection
  const connections = createConnections({
    clientId,
    logger,
    security,
    connectionTimeoutMs: 2000,
    requestTimeoutMs: 10_000,
  })
  const { partitionCount } = topic
  const topicName = topicPrefix + topic.name
  const directory = createDirectory(connections, { seeds: brokers.map(addressOf), topicNames: [topicName] })
  const id = { groupId: topicPrefix + groupId, topicName, partitionCount, sessionMs }
  const member = new GroupMember({ connections, directory, ...id })
  const onAbort = () => member.interrupt()
  signal.addEventListener('abort', onAbort)
  // Connections keep no process alive; to wait for partitions does.
  const alive = setInterval(() => {}, 2 ** 30)
  try {
    while (!signal.aborted) {
      const partitions = await member.join(signal)
      if (partitions === null) continue
      logger.info({ groupId, topic: topic.name, partitions }, 'these partitions are ours')
      if ((await hold(options, member, partitions)) === 'finished') return
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    await member.leave()
    connections.close()
    clearInterval(alive)
  }
}

/** Works as long as the group leaves the partitions to us, and has stopped when it resolves. */
async function hold(options: PartitionShareOptions, member: GroupMember, partitions: readonly number[]) {
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const ended = new AbortController()
  const working = workOn(options, partitions, signal).finally(() => ended.abort())
  // Its failure is thrown below; until then it must not pass for one that nobody takes.
  working.catch(() => {})
  // Heartbeats go on while the work comes to its end: the broker waits for us as long as it hears of us.
  while (!ended.signal.aborted) {
    await delay(heartbeatMsOf(options), undefined, { signal: ended.signal }).catch(() => {})
    if (ended.signal.aborted) break
    const standing = await member.heartbeat()
    if (standing === 'member' || standing === 'unknown') continue
    if (!stop.signal.aborted)
      options.logger.info({ groupId: options.groupId, partitions, standing }, 'the partitions are shared anew')
    stop.abort()
  }
  await working
  return signal.aborted ? 'stopped' : 'finished'
}

/** Three are missed before half of the session is over. */
const heartbeatMsOf = ({ sessionMs }: PartitionShareOptions): number => sessionMs / 6

async function workOn(options: PartitionShareOptions, partitions: readonly number[], signal: AbortSignal) {
  if (partitions.length === 0) await untilAborted(signal)
  while (!signal.aborted) {
    try {
      await options.work(partitions, signal)
      return
    } catch (error) {
      if (!mayWorkAgain(error)) throw error
      options.logger.warn({ groupId: options.groupId, partitions, err: error }, 'the work on the partitions broke off')
    }
    // Long enough to hear whether the partitions are still ours, before they are taken back from whoever has them.
    await delay(2 * heartbeatMsOf(options), undefined, { signal }).catch(() => {})
  }
}

const mayWorkAgain = (error: unknown): boolean =>
  isOperationError(error, 'writer_fenced') || isOperationError(error, 'log_unavailable')

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
