/** Connections to brokers, each for one purpose: a broker answers the requests of a connection one after the other. */
import type { Socket } from 'node:net'
import { logClosed } from '../log/append.ts'
import {
  type Address,
  type ClientBroker,
  type ClientSettings,
  createClientBroker,
  type ProtocolCall,
} from './kafkajs-parts.ts'

export type Lane = Readonly<{
  /** Connects where it must. After a failure of the connection the next use begins with a new one. */
  use<Answer>(question: (broker: ClientBroker) => Promise<Answer>, timeoutMs?: number): Promise<Answer>
  send<Answer>(call: ProtocolCall<Answer>): Promise<Answer>
}>

export type Connections = Readonly<{
  lane(purpose: string, address: Address): Lane
  /** Closes those of a purpose; whoever waits on one of them fails. */
  drop(purpose: string): void
  /** Afterwards there are none: whoever asks for one fails with `log_closed`. */
  close(): void
}>

type OpenLane = Lane & Readonly<{ purpose: string; end(): void }>

export function createConnections(settings: ClientSettings): Connections {
  const lanes = new Map<string, OpenLane>()
  let isClosed = false
  const drop = (isMeant: (lane: OpenLane) => boolean) => {
    for (const [id, lane] of lanes) {
      if (!isMeant(lane)) continue
      lanes.delete(id)
      lane.end()
    }
  }
  return {
    lane(purpose, address) {
      if (isClosed) throw logClosed()
      const id = `${purpose} ${address.host}:${address.port}`
      const lane = lanes.get(id) ?? createLane(settings, address, purpose)
      lanes.set(id, lane)
      return lane
    },
    drop: (purpose) => drop((lane) => lane.purpose === purpose),
    close() {
      isClosed = true
      drop(() => true)
    },
  }
}

/** A connection and its sockets. kafkajs would connect one again that has failed, and lose requests over it. */
type Line = {
  readonly broker: ClientBroker
  readonly sockets: Set<Socket>
  /** Connected, and told what the broker can: kafkajs calls it connected before it knows that. */
  connecting: Promise<void> | null
  isReady: boolean
  isOver: boolean
}

function createLane(settings: ClientSettings, address: Address, purpose: string): OpenLane {
  let current: Line | null = null

  const open = (): Line => {
    const sockets = new Set<Socket>()
    const broker = createClientBroker(settings, address, sockets)
    return { broker, sockets, connecting: null, isReady: false, isOver: false }
  }
  const call = async <Answer>(line: Line, question: (broker: ClientBroker) => Promise<Answer>): Promise<Answer> => {
    line.connecting ??= line.broker.connect()
    await line.connecting
    line.isReady = true
    // Hung up meanwhile, by the failure of another request.
    if (line.isOver) throw connectionError('Closed', 'the connection was closed')
    return question(line.broker)
  }
  const use: Lane['use'] = async (question, timeoutMs = settings.requestTimeoutMs + timeoutMarginMs) => {
    // Brokers close a connection that was idle for long.
    if (current?.isReady && !current.broker.isConnected()) end(current)
    const line = current ?? open()
    current = line
    try {
      return await within(timeoutMs, call(line, question))
    } catch (error) {
      // A half-read answer would be taken for the beginning of the next: never the same connection again.
      if (!isAnswer(error)) end(line)
      throw error
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

/** The client has time-outs of its own, but not for a request that it has lost track of. */
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

/** Named like the client's own, which are told from our bugs by it. */
const connectionError = (kind: string, message: string): Error =>
  Object.assign(new Error(message), { name: `KafkaJSConnection${kind}Error` })

/** The broker answered, if only with an error: the connection is sound. */
const isAnswer = (error: unknown): boolean => error instanceof Error && 'type' in error && error.type !== undefined

function hangUp({ broker, sockets }: Line): void {
  const closed = connectionError('Closed', 'the connection was closed')
  void broker.connectionPool.map((connection) => {
    connection.rejectRequests(closed)
    return connection.disconnect().catch(() => {})
  })
  for (const socket of sockets) socket.destroy()
  sockets.clear()
}
