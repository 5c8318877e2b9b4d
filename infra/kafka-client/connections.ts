/**
 * Connections to brokers. Each connection serves one purpose. A broker answers the requests of one connection
 * in order, so a slow request delays all later requests.
 */
import type { Socket } from 'node:net'
import { OperationError } from '../errors.ts'
import {
  type Address,
  type ClientSettings,
  createBroker,
  type KafkajsBroker,
  type ProtocolCall,
} from './kafkajs-parts.ts'

export type NodeConnection = Readonly<{
  /**
   * Runs a request, and connects first if needed. If the connection failed in an earlier call, this call
   * opens a new connection.
   */
  use<Answer>(question: (broker: KafkajsBroker) => Promise<Answer>, timeoutMs?: number): Promise<Answer>
  send<Answer>(call: ProtocolCall<Answer>): Promise<Answer>
}>

export type Connections = Readonly<{
  to(purpose: string, address: Address): NodeConnection
  /** Closes all connections that were opened with this purpose. Their pending requests fail. */
  drop(purpose: string): void
  /** Closes all connections. `to` then fails with `log_closed`. */
  close(): void
}>

type OpenNodeConnection = NodeConnection & Readonly<{ purpose: string; end(): void }>

export function createConnections(settings: ClientSettings): Connections {
  const nodeConnections = new Map<string, OpenNodeConnection>()
  let isClosed = false
  const drop = (isMeant: (connection: OpenNodeConnection) => boolean) => {
    for (const [id, connection] of nodeConnections) {
      if (!isMeant(connection)) continue
      nodeConnections.delete(id)
      connection.end()
    }
  }
  return {
    to(purpose, address) {
      if (isClosed) throw new OperationError('log_closed', 'the connections to the brokers are closed')
      const id = `${purpose} ${address.host}:${address.port}`
      const connection = nodeConnections.get(id) ?? createNodeConnection(settings, address, purpose)
      nodeConnections.set(id, connection)
      return connection
    },
    drop: (purpose) => drop((connection) => connection.purpose === purpose),
    close() {
      isClosed = true
      drop(() => true)
    },
  }
}

/**
 * A connection with its sockets. It connects only one time, because kafkajs loses requests when it connects
 * again.
 */
type Line = {
  readonly broker: KafkajsBroker
  readonly sockets: Set<Socket>
  /**
   * Resolves when kafkajs knows the API versions of the broker. `isConnected` of kafkajs is already true before that.
   */
  connecting: Promise<void> | null
  isReady: boolean
  isOver: boolean
}

function createNodeConnection(settings: ClientSettings, address: Address, purpose: string): OpenNodeConnection {
  let current: Line | null = null

  const open = (): Line => {
    const sockets = new Set<Socket>()
    const broker = createBroker(settings, address, sockets)
    return { broker, sockets, connecting: null, isReady: false, isOver: false }
  }
  const call = async <Answer>(line: Line, question: (broker: KafkajsBroker) => Promise<Answer>): Promise<Answer> => {
    line.connecting ??= line.broker.connect()
    await line.connecting
    line.isReady = true
    // The failure of another request may have closed the connection in the meantime.
    if (line.isOver) throw connectionError('Closed', 'the connection was closed')
    return question(line.broker)
  }
  const use: NodeConnection['use'] = async (question, timeoutMs = settings.requestTimeoutMs + timeoutMarginMs) => {
    // A broker closes idle connections. If this connection was closed, a new one is opened.
    if (current?.isReady && !current.broker.isConnected()) end(current)
    const line = current ?? open()
    current = line
    try {
      return await within(timeoutMs, call(line, question))
    } catch (error) {
      // A failed connection is not used again. The rest of a half-read response would be taken for the next
      // response.
      if (isAnswer(error)) throw error
      end(line)
      throw withBroker(error, address)
    }
  }
  const end = (line: Line) => {
    if (current === line) current = null
    line.isOver = true
    hangUp(line)
  }
  return {
    purpose,
    use,
    send: (protocolCall) =>
      use(async ({ connectionPool }) => (await connectionPool.getConnection(0)).send(protocolCall)),
    end() {
      if (current) end(current)
    },
  }
}

/**
 * The time by which the timeout of this client is longer than the timeout of kafkajs, in milliseconds.
 * kafkajs has no timeout for a request that it has lost.
 */
const timeoutMarginMs = 5000

async function within<Result>(timeoutMs: number, pending: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(connectionError('Timeout', 'no answer in time')), timeoutMs).unref()
  })
  try {
    return await Promise.race([pending, late])
  } finally {
    clearTimeout(timer)
  }
}

/** An error with a name like the errors of kafkajs. `isUnreachable` recognizes connection failures by this name. */
const connectionError = (kind: string, message: string): Error =>
  Object.assign(new Error(message), { name: `KafkaJSConnection${kind}Error` })

/** Whether the error is the answer of a broker. The connection then works. */
const isAnswer = (error: unknown): boolean => error instanceof Error && 'type' in error && error.type !== undefined

/** Adds the broker's address to an error, because the operator needs it. */
function withBroker(error: unknown, { host, port }: Address): unknown {
  return error instanceof Error && !('broker' in error) ? Object.assign(error, { broker: `${host}:${port}` }) : error
}

function hangUp({ broker, sockets }: Line): void {
  const closed = connectionError('Closed', 'the connection was closed')
  void broker.connectionPool.map((connection) => {
    connection.rejectRequests(closed)
    return connection.disconnect().catch(() => {})
  })
  for (const socket of sockets) socket.destroy()
  sockets.clear()
}
