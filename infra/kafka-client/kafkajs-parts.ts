/**
 * The private modules of kafkajs that this client uses: connections (TLS, SASL, API versions) and small requests.
 * `infra/docs/decisions/log/kafka-client.md` explains why each module is needed and what would replace it.
 */
import { createRequire } from 'node:module'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ISocketFactory, ISocketFactoryArgs, Logger as KafkajsLogger } from 'kafkajs'
import type { Logger } from '../telemetry.ts'
import { tooLong, wrongIn } from './answer-length.ts'
import { clientSecurity, type KafkaSecurity } from './security.ts'

/** A request in any version of the protocol. `response.decode` gets the bytes after the correlation id. */
export type ProtocolCall<Answer> = Readonly<{
  request: Readonly<{
    apiKey: number
    apiVersion: number
    apiName: string
    encode(): Promise<Readonly<{ buf: Buffer; buffer: Buffer }>>
  }>
  response: Readonly<{ decode(payload: Buffer): Promise<Answer>; parse(decoded: Answer): Promise<Answer> }>
}>

type ByTopic<Partition> = readonly Readonly<{ topic: string; partitions: readonly Partition[] }>[]

/** Partitions by full topic name. */
export type TopicPartitions = ByTopic<number>

/** The id and epoch that the transaction coordinator gave a producer. */
export type ProducerIdentity = Readonly<{ producerId: string; producerEpoch: number }>

type TransactionQuery = ProducerIdentity & Readonly<{ transactionalId: string }>

type PartitionMetadata = Readonly<{ partitionId: number; leader: number; partitionErrorCode: number }>

export type Metadata = Readonly<{
  brokers: readonly Readonly<{ nodeId: number; host: string; port: number }>[]
  topicMetadata: readonly Readonly<{ topic: string; partitionMetadata: readonly PartitionMetadata[] }>[]
}>

type KafkajsConnection = {
  send<Answer>(call: ProtocolCall<Answer>): Promise<Answer>
  rejectRequests(error: Error): void
  disconnect(): Promise<unknown>
}

type OpenKafkajsConnection = KafkajsConnection & {
  readonly broker: string
  /** Undefined until the connection is open. */
  readonly socket?: Socket
  /** The number of bytes that the connection waits for: the four bytes of an answer's length, plus the answer. */
  readonly bytesNeeded: number
  processData(chunk: Buffer): unknown
  send<Answer>(call: ProtocolCall<Answer>): Promise<Answer>
}

type Decoder = { readonly buffer: Buffer; readonly offset: number } & Record<'readArray' | 'readArrayAsync', ReadArray>
type ReadArray = (this: Decoder, each: unknown) => unknown

type ConnectionPool = {
  getConnection(index?: number): Promise<KafkajsConnection>
  map<Result>(each: (connection: KafkajsConnection) => Result): Result[]
}

export type JoinedGroup = Readonly<{
  generationId: number
  groupProtocol: string
  leaderId: string
  memberId: string
  members: readonly Readonly<{ memberId: string; memberMetadata: Buffer }>[]
}>

/** A broker of kafkajs. Its methods fail with a `KafkaJSProtocolError`, whose `type` is the error's name. */
export type KafkajsBroker = {
  readonly connectionPool: ConnectionPool
  /** The versions that the broker supports, by API key. Null until the broker is connected. */
  readonly versions: Readonly<Record<number, unknown>> | null
  isConnected(): boolean
  connect(): Promise<void>
  disconnect(): Promise<void>
  metadata(topics: readonly string[]): Promise<Metadata>
  findGroupCoordinator(
    query: Readonly<{ groupId: string; coordinatorType: number }>,
  ): Promise<Readonly<{ coordinator: Readonly<{ nodeId: number; host: string; port: number }> }>>
  listOffsets(
    query: Readonly<{
      isolationLevel: number
      topics: ByTopic<Readonly<{ partition: number; timestamp: number }>>
    }>,
  ): Promise<Readonly<{ responses: ByTopic<Readonly<{ partition: number; offset: string }>> }>>
  deleteRecords(query: Readonly<{ topics: ByTopic<Readonly<{ partition: number; offset: string }>> }>): Promise<unknown>
  addPartitionsToTxn(query: TransactionQuery & Readonly<{ topics: TopicPartitions }>): Promise<unknown>
  endTxn(query: TransactionQuery & Readonly<{ transactionResult: boolean }>): Promise<unknown>
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
    logger: KafkajsLogger
    nodeId: number
    allowAutoTopicCreation: boolean
  }>,
) => KafkajsBroker
const Pool = load('kafkajs/src/network/connectionPool') as new (
  options: Readonly<Record<string, unknown>>,
) => ConnectionPool
export const { createErrorFromCode } = load('kafkajs/src/protocol/error') as {
  createErrorFromCode(code: number): Error & Readonly<{ type: string }>
}

export type ClientSettings = Readonly<{
  clientId: string
  logger: Logger
  connectionTimeoutMs: number
  requestTimeoutMs: number
  security?: KafkaSecurity | undefined
}>

export type Address = Readonly<{ host: string; port: number }>

/** Creates a broker. The broker adds every socket it opens to `sockets`. They do not keep the process alive. */
export function createBroker(settings: ClientSettings, { host, port }: Address, sockets: Set<Socket>): KafkajsBroker {
  patchKafkajs()
  const logger = loggerAtDebug(settings.logger)
  const socketFactory: ISocketFactory = (options) => {
    const socket = openSocket(options).unref()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    return socket
  }
  const connectionPool = new Pool({
    host,
    port,
    logger,
    clientId: settings.clientId,
    connectionTimeout: settings.connectionTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    enforceRequestTimeout: true,
    ...clientSecurity(settings.security),
    socketFactory,
  })
  return new Broker({ connectionPool, logger, nodeId: -1, allowAutoTopicCreation: false })
}

const keepAliveMs = 60_000

function openSocket({ host, port, ssl, onConnect }: ISocketFactoryArgs): Socket {
  // TLS accepts only a host name as the name of a server. For an IP address, no name is set.
  const socket = ssl
    ? connectTls({ host, port, ...(isIP(host) ? {} : { servername: host }), ...ssl }, onConnect)
    : connectPlain({ host, port }, onConnect)
  return socket.setKeepAlive(true, keepAliveMs)
}

/**
 * Writes the messages of kafkajs at level debug. kafkajs logs every failure as an error. But this client
 * retries within milliseconds, and throws an error if the failure lasts.
 */
function loggerAtDebug(logger: Logger): KafkajsLogger {
  const toDebug = (message: string, details?: object) => logger.debug({ ...details, logger: 'kafkajs' }, message)
  const drop = () => {}
  const its: KafkajsLogger = {
    ...{ error: toDebug, warn: toDebug, info: drop, debug: drop },
    namespace: () => its,
    setLogLevel: drop,
  }
  return its
}

let isPatched = false

/** Fixes faults of kafkajs 2.2.4. One call is enough for all connections. */
export function patchKafkajs(): void {
  if (isPatched) return
  isPatched = true
  patchRequestQueue()
  patchConnection()
  patchBroker()
  patchDecoder()
}

/**
 * Disconnects a broker if its API version request fails. kafkajs leaves the broker connected. Every later
 * request of the `Admin` would then fail with an error that looks like a bug in our code.
 */
function patchBroker(): void {
  const { prototype } = Broker
  const { connect } = prototype
  prototype.connect = async function (this: KafkajsBroker) {
    try {
      await connect.call(this)
    } catch (error) {
      this.disconnect().catch(() => {})
      throw error
    }
  }
}

/**
 * Removes needless timers. In kafkajs, an empty queue schedules its next check with a negative delay. So
 * every connection has a timer that runs every millisecond. Also, the timer that checks for timeouts keeps
 * the process alive.
 */
function patchRequestQueue(): void {
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

/**
 * Turns an answer that cannot be read into a connection failure. In kafkajs, an answer with a wrong length
 * throws out of the socket's event handler. Other unreadable answers look like bugs in our code.
 */
function patchConnection(): void {
  const { prototype } = load('kafkajs/src/network/connection') as { prototype: OpenKafkajsConnection }
  const { processData, send, disconnect } = prototype
  // Destroys the socket. Otherwise, data of a peer that continues to send would be read for ever. kafkajs
  // adds listeners in each call, so its `disconnect` runs only one time for each socket.
  const endings = new WeakMap<object, Promise<unknown>>()
  prototype.disconnect = function (this: OpenKafkajsConnection) {
    const { socket } = this
    const ending = (socket && endings.get(socket)) ?? disconnect.call(this).finally(() => socket?.destroySoon())
    if (socket) endings.set(socket, ending)
    return ending
  }
  prototype.processData = function (this: OpenKafkajsConnection, chunk) {
    const wrong = wrongIn(() => processData.call(this, chunk)) ?? tooLong(this.bytesNeeded)
    return wrong === null ? undefined : this.socket?.destroy(unreadable(this.broker, wrong))
  }
  prototype.send = function <Answer>(this: OpenKafkajsConnection, { response, ...rest }: ProtocolCall<Answer>) {
    const readable = async <Result>(reading: () => Promise<Result>): Promise<Result> => {
      try {
        return await reading()
      } catch (error) {
        if (!(error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError)) throw error
        throw unreadable(this.broker, error.message)
      }
    }
    const decode = (payload: Buffer) => readable(() => response.decode(payload))
    const parse = (decoded: Answer) => readable(() => response.parse(decoded))
    return send.call(this, { ...rest, response: { decode, parse } }) as Promise<Answer>
  }
}

/** An error with a name like the errors of kafkajs. `isUnreachable` recognizes connection failures by this name. */
const unreadable = (broker: string, reason: string): Error =>
  Object.assign(new Error(`an answer of the broker ${broker} cannot be read: ${reason}`), {
    name: 'KafkaJSUnreadableAnswerError',
    broker,
  })

/**
 * Refuses an array whose length exceeds the number of remaining bytes, because each entry has at least one byte.
 * kafkajs allocates an array of any length that the answer gives, up to 256 MB.
 */
function patchDecoder(): void {
  const { prototype } = load('kafkajs/src/protocol/decoder') as { prototype: Decoder }
  for (const name of ['readArray', 'readArrayAsync'] as const) {
    const read = prototype[name]
    prototype[name] = function (this: Decoder, each) {
      const length = this.buffer.readInt32BE(this.offset)
      if (length > this.buffer.length - this.offset) throw new RangeError(`too few bytes for ${length} entries`)
      return read.call(this, each)
    }
  }
}
