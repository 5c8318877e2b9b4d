/**
 * The parts of kafkajs that this adapter stands on: connections (TLS, timeouts, versions) and the small requests. What
 * kafkajs keeps to itself is needed: to read a partition without a group, and records without an object for each.
 */
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type { Logger } from '../telemetry.ts'
import { clientSecurity, type KafkaSecurity } from './security.ts'

/** Any version; the response is given the bytes after the correlation id. */
export type ProtocolCall<Answer> = Readonly<{
  request: Readonly<{
    apiKey: number
    apiVersion: number
    apiName: string
    encode(): Promise<Readonly<{ buf: Buffer; buffer: Buffer }>>
  }>
  response: Readonly<{ decode(payload: Buffer): Promise<Answer>; parse(decoded: Answer): Promise<Answer> }>
}>

type TopicPartitions<Partition> = readonly Readonly<{ topic: string; partitions: readonly Partition[] }>[]

export type Producer = Readonly<{ producerId: string; producerEpoch: number }>

type PartitionMetadata = Readonly<{ partitionId: number; leader: number; partitionErrorCode: number }>

export type Metadata = Readonly<{
  brokers: readonly Readonly<{ nodeId: number; host: string; port: number }>[]
  topicMetadata: readonly Readonly<{ topic: string; partitionMetadata: readonly PartitionMetadata[] }>[]
}>

type ClientConnection = {
  send<Answer>(call: ProtocolCall<Answer>): Promise<Answer>
  rejectRequests(error: Error): void
  disconnect(): Promise<unknown>
}

type ConnectionPool = {
  getConnection(index?: number): Promise<ClientConnection>
  map<Result>(each: (connection: ClientConnection) => Result): Result[]
}

export type JoinedGroup = Readonly<{
  generationId: number
  groupProtocol: string
  leaderId: string
  memberId: string
  members: readonly Readonly<{ memberId: string; memberMetadata: Buffer }>[]
}>

/** One broker as kafkajs sees it. Its methods fail with a `KafkaJSProtocolError` that has the error's name as `type`. */
export type ClientBroker = {
  readonly connectionPool: ConnectionPool
  /** Which versions it knows of each request, by the request's key. Null: not connected yet. */
  readonly versions: Readonly<Record<number, unknown>> | null
  isConnected(): boolean
  connect(): Promise<void>
  metadata(topics: readonly string[]): Promise<Metadata>
  findGroupCoordinator(
    query: Readonly<{ groupId: string; coordinatorType: number }>,
  ): Promise<Readonly<{ coordinator: Readonly<{ nodeId: number; host: string; port: number }> }>>
  listOffsets(
    query: Readonly<{
      isolationLevel: number
      topics: TopicPartitions<Readonly<{ partition: number; timestamp: number }>>
    }>,
  ): Promise<Readonly<{ responses: TopicPartitions<Readonly<{ partition: number; offset: string }>> }>>
  deleteRecords(
    query: Readonly<{ topics: TopicPartitions<Readonly<{ partition: number; offset: string }>> }>,
  ): Promise<unknown>
  addPartitionsToTxn(
    query: Producer & Readonly<{ transactionalId: string; topics: TopicPartitions<number> }>,
  ): Promise<unknown>
  endTxn(query: Producer & Readonly<{ transactionalId: string; transactionResult: boolean }>): Promise<unknown>
  joinGroup(
    query: Readonly<{
      groupId: string
      sessionTimeout: number
      rebalanceTimeout: number
      memberId: string
      groupProtocols: readonly Readonly<{ name: string; metadata: Buffer }>[]
    }>,
  ): Promise<JoinedGroup>
  syncGroup(
    query: Readonly<{
      groupId: string
      generationId: number
      memberId: string
      groupAssignment: readonly Readonly<{ memberId: string; memberAssignment: Buffer }>[]
    }>,
  ): Promise<Readonly<{ memberAssignment: Buffer }>>
  heartbeat(query: Readonly<{ groupId: string; groupGenerationId: number; memberId: string }>): Promise<unknown>
  leaveGroup(query: Readonly<{ groupId: string; memberId: string }>): Promise<unknown>
}

type ClientLogger = { namespace(name: string): ClientLogger }
type LogEntry = Readonly<{ log: Readonly<{ message: string } & Record<string, unknown>> }>
type SocketFactory = (options: Readonly<Record<string, unknown>>) => Socket
type RequestQueue = {
  pending: readonly unknown[]
  requestTimeoutIntervalId?: NodeJS.Timeout
  scheduleRequestTimeoutCheck(): void
  scheduleCheckPendingRequests(): void
}

const load = createRequire(import.meta.url)
const Broker = load('kafkajs/src/broker') as new (
  options: Readonly<{
    connectionPool: ConnectionPool
    logger: ClientLogger
    nodeId: number
    allowAutoTopicCreation: boolean
  }>,
) => ClientBroker
const Pool = load('kafkajs/src/network/connectionPool') as new (
  options: Readonly<Record<string, unknown>>,
) => ConnectionPool
const createSocketFactory = load('kafkajs/src/network/socketFactory') as () => SocketFactory
const { createLogger, LEVELS } = load('kafkajs/src/loggers') as {
  createLogger(options: Readonly<{ level: number; logCreator: () => (entry: LogEntry) => void }>): ClientLogger
  LEVELS: Readonly<{ WARN: number }>
}
export const { createErrorFromCode } = load('kafkajs/src/protocol/error') as {
  createErrorFromCode(code: number): Error & Readonly<{ type: string }>
}
export const { MemberMetadata, MemberAssignment } = load('kafkajs/src/consumer/assignerProtocol') as {
  MemberMetadata: { encode(member: Readonly<{ version: number; topics: readonly string[] }>): Buffer }
  MemberAssignment: {
    encode(member: Readonly<{ version: number; assignment: Readonly<Record<string, readonly number[]>> }>): Buffer
    decode(bytes: Buffer): Readonly<{ assignment: Readonly<Record<string, readonly number[]>> }> | null
  }
}

export type ClientSettings = Readonly<{
  clientId: string
  logger: Logger
  connectionTimeoutMs: number
  requestTimeoutMs: number
  security?: KafkaSecurity | undefined
}>

export type Address = Readonly<{ host: string; port: number }>

/** `sockets` is given each socket that is opened: none of them keeps the process alive. */
export function createClientBroker(
  settings: ClientSettings,
  { host, port }: Address,
  sockets: Set<Socket>,
): ClientBroker {
  quietRequestQueue()
  const logger = createLogger({ level: LEVELS.WARN, logCreator: () => demoted(settings.logger) })
  const open = createSocketFactory()
  const connectionPool = new Pool({
    host,
    port,
    logger,
    clientId: settings.clientId,
    connectionTimeout: settings.connectionTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    enforceRequestTimeout: true,
    ...clientSecurity(settings.security),
    socketFactory: (options: Readonly<Record<string, unknown>>) => {
      const socket = open(options).unref()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
  })
  return new Broker({ connectionPool, logger, nodeId: -1, allowAutoTopicCreation: false })
}

/** It logs as an error what this adapter tries again in a millisecond; what stays wrong is told by our own errors. */
const demoted =
  (logger: Logger) =>
  ({ log: { message, ...details } }: LogEntry): void =>
    logger.debug(details, message)

let isQuiet = false

/**
 * kafkajs 2.2.4 sets the next check of its queue even when nothing waits in it, with a delay that is negative: a timer
 * every millisecond for every connection. And its check of time-outs keeps the process alive.
 */
function quietRequestQueue(): void {
  if (isQuiet) return
  isQuiet = true
  const { prototype } = load('kafkajs/src/network/requestQueue') as { prototype: RequestQueue }
  const { scheduleCheckPendingRequests, scheduleRequestTimeoutCheck } = prototype
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length > 0) scheduleCheckPendingRequests.call(this)
  }
  prototype.scheduleRequestTimeoutCheck = function (this: RequestQueue) {
    scheduleRequestTimeoutCheck.call(this)
    this.requestTimeoutIntervalId?.unref()
  }
}
