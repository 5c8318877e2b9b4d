/**
 * Divides a topic's partitions among processes with a consumer group. The group only assigns partitions. All
 * reads go through the log. For a short time, two members may work on the same partition. Then only the
 * fencing of writers prevents double output.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Topic } from '../../../schemas/topics.ts'
import type { DurationMs } from '../../../schemas/units.ts'
import { isOperationError } from '../../errors.ts'
import { addressOf } from '../../kafka-client/broker-address.ts'
import { createConnections } from '../../kafka-client/connections.ts'
import { createDirectory } from '../../kafka-client/directory.ts'
import { GroupMember } from '../../kafka-client/group-member.ts'
import type { KafkaSecurity } from '../../kafka-client/security.ts'
import { pauseIfPassing } from '../../run-again.ts'
import type { Logger } from '../../telemetry.ts'

export type PartitionShareOptions = Readonly<{
  connection: Readonly<{
    brokers: readonly string[]
    clientId?: string
    topicPrefix?: string
    security?: KafkaSecurity
  }>
  groupId: string
  topic: Topic
  /**
   * The time without a heartbeat after which a member loses its partitions, in milliseconds. Brokers allow 6 s to 30
   * min by default.
   */
  sessionMs: DurationMs
  signal: AbortSignal
  logger: Logger
  /**
   * The work on the partitions. It must run until its signal aborts. The signal aborts when the partitions
   * are reassigned or when the sharing ends. After a failure with `writer_fenced` or `log_unavailable`,
   * `work` is called again if this member still has the partitions. Any other failure ends the sharing.
   */
  work(partitions: readonly number[], signal: AbortSignal): Promise<void>
}>

/**
 * Takes part in the group until the signal aborts. Then this member leaves the group, so that other members
 * get its partitions without delay.
 */
export async function sharePartitions(options: PartitionShareOptions): Promise<void> {
  const { connection, groupId, topic, sessionMs, logger } = options
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
  try {
    await shareAs(new GroupMember({ connections, directory, ...id }), options)
  } finally {
    connections.close()
  }
}

/** The part of a member of a consumer group that sharing uses. */
type Member = Pick<GroupMember, 'join' | 'heartbeat' | 'interrupt' | 'leave'>

type Sharing = Omit<PartitionShareOptions, 'connection'>

/** Shares partitions as a member of a group. Leaves the group at the end. */
export async function shareAs(member: Member, options: Sharing): Promise<void> {
  const { groupId, topic, signal, logger } = options
  const onAbort = () => member.interrupt()
  signal.addEventListener('abort', onAbort)
  // Keeps the process alive while it waits for partitions. Connections alone do not keep the process alive.
  const alive = setInterval(() => {}, 2 ** 30)
  try {
    while (!signal.aborted) {
      const partitions = await member.join(signal)
      if (partitions === null) continue
      logger.info({ groupId, topic: topic.name, partitions }, 'partitions assigned')
      if ((await hold(options, member, partitions)) === 'finished') return
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    await member.leave()
    clearInterval(alive)
  }
}

/**
 * Runs `options.work` while the group assigns these partitions to this member. Resolves after the work has
 * ended.
 */
async function hold(options: Sharing, member: Member, partitions: readonly number[]) {
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const ended = new AbortController()
  const working = workOn(options, partitions, signal).finally(() => ended.abort())
  // The failure is thrown below. Until then, this handler keeps Node from treating the failure as unhandled.
  working.catch(() => {})
  // Heartbeats continue until the work has stopped. In a rebalance, the broker waits for this member as long as the
  // broker receives its heartbeats.
  while (!ended.signal.aborted) {
    await delay(heartbeatMsOf(options), undefined, { signal: ended.signal }).catch(() => {})
    if (ended.signal.aborted) break
    const standing = await member.heartbeat()
    if (standing === 'member' || standing === 'unknown') continue
    if (!stop.signal.aborted)
      options.logger.info({ groupId: options.groupId, partitions, standing }, 'partitions are being reassigned')
    stop.abort()
  }
  await working
  return signal.aborted ? 'stopped' : 'finished'
}

/**
 * The interval of heartbeats, in milliseconds. A session has time for six heartbeats, so a few heartbeats may
 * fail.
 */
const heartbeatMsOf = ({ sessionMs }: Sharing): DurationMs => sessionMs / 6

async function workOn(options: Sharing, partitions: readonly number[], signal: AbortSignal) {
  if (partitions.length === 0) await untilAborted(signal)
  while (!signal.aborted) {
    try {
      await options.work(partitions, signal)
      return
    } catch (error) {
      if (!mayWorkAgain(error)) throw error
      options.logger.warn(
        { groupId: options.groupId, partitions, err: error },
        'the work on these partitions failed. It starts again in some seconds',
      )
    }
    // Waits for two heartbeats. If the partitions were reassigned, this member learns it in this time.
    // Without this pause, its work could fence the new owner.
    await delay(2 * heartbeatMsOf(options), undefined, { signal }).catch(() => {})
  }
}

/**
 * The pause before work on one partition starts again after this failure, in milliseconds. After
 * `writer_fenced`, the pause is a third of a session. In this time, this member learns whether its partitions
 * were reassigned.
 */
export const restartPauseMsOf =
  (sessionMs: DurationMs) =>
  (error: unknown, failureCount: number): number | null =>
    isOperationError(error, 'writer_fenced') ? sessionMs / 3 : pauseIfPassing(error, failureCount)

const mayWorkAgain = (error: unknown): boolean =>
  isOperationError(error, 'writer_fenced') || isOperationError(error, 'log_unavailable')

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
