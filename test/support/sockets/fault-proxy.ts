/**
 * Runs a JSON-RPC proxy that injects the faults of bad nodes and networks, drawn from a seed. It leaves out
 * the logs of a block at most one time. If no answer ever contained a log, ingest could not know that the log
 * exists.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRandom, type Random } from '../../../ingest/simulated/random.ts'
import { serveSockets } from './socket-double.ts'

export type Upstream = (method: string, params: readonly unknown[]) => Promise<unknown>

/** The probability of each fault. The first five faults are drawn per request, and the others per answer. */
const faultRates = {
  refused: 0.02,
  busy: 0.02,
  dropped: 0.02,
  failed: 0.02,
  silent: 0.003,
  truncated: 0.08,
  /** The answer is an earlier answer to the same request, for example a header of a replaced branch. */
  stale: 0.03,
  jumpedBack: 0.04,
} as const

/** The kinds of false messages about a new head that the socket sends. Half of its messages are true. */
const lies = ['nothing', 'too high', 'too low', 'garbage', 'twice', 'drop'] as const
const lieRate = 0.5

type Fault = keyof typeof faultRates
type FaultRates = Readonly<Record<Fault, number>>
export type FaultCounts = Readonly<Record<Fault, number>>

/**
 * Makes a share of the requests fail, in the four ways that need no timeout. `share` is between 0 and 1. All
 * answers are right.
 */
export function scatteredFaults(share: number): FaultRates {
  const each = 1 - (1 - share) ** (1 / 4)
  return { refused: each, busy: each, dropped: each, failed: each, silent: 0, truncated: 0, stale: 0, jumpedBack: 0 }
}

export type FaultProxyOptions = Readonly<{
  upstream: Upstream
  seed: number
  /** The number of blocks by which the proxy is behind the node. */
  behindBlocks?: number
  /** The blocks whose logs have been left out. All proxies of a chain share this set. */
  leftOut: Set<string>
  rates?: FaultRates
}>

export type FaultProxy = Readonly<{
  url: string
  /** The URL of a socket that announces heads. The socket answers no requests. */
  socketUrl: string
  counts: FaultCounts
  /** Returns the number of announcements that a subscriber got. True and false announcements are counted. */
  heard(): number
  /** Announces this head on the socket, or makes a false announcement instead. */
  announce(head: number): void
  /** Returns the number of HTTP requests, and the number of calls in them. */
  asked(): Readonly<{ requests: number; questions: number }>
  /** No faults happen after this call. */
  calm(): void
  stop(): Promise<void>
}>

type Call = Readonly<{ id: number; method: string; params: readonly unknown[] }>
type LogLike = Readonly<{ blockHash: string; blockNumber: string }>

export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { rates = faultRates } = options
  const counts = { refused: 0, busy: 0, dropped: 0, failed: 0, silent: 0, truncated: 0, stale: 0, jumpedBack: 0 }
  let [requests, questions] = [0, 0]
  const random = createRandom(options.seed, 71)
  let isCalm = false
  const hits = (fault: Fault) => {
    const hit = !isCalm && random.chance(rates[fault])
    if (hit) counts[fault]++
    return hit
  }
  const spoil = createSpoiler({ ...options, rates, random, counts, isCalm: () => isCalm })
  const upstream = behind(options)

  const answerAll = async (calls: readonly Call[]) => {
    const isRefused = hits('refused')
    return await Promise.all(
      calls.map(async (call) => {
        const answer = isRefused ? refusal : await answerOf(upstream, spoil, call)
        return { jsonrpc: '2.0', id: call.id, ...answer }
      }),
    )
  }
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request)) as Call | Call[]
    requests++
    questions += [body].flat().length
    if (hits('dropped')) return void request.socket.destroy()
    if (hits('silent')) return
    if (hits('busy')) return reply(response, 429, {})
    if (hits('failed')) return reply(response, 500, {})
    const replies = await answerAll([body].flat())
    reply(response, 200, Array.isArray(body) ? replies : replies[0])
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets = serveSockets(server, async () => null)
  const announcer = createRandom(options.seed, 72)
  let heard = 0
  const say = (head: number) => {
    heard += sockets.announce(head)
  }
  const tell = {
    nothing: () => undefined,
    'too high': (head: number) => say(head + 1_000_000),
    'too low': (head: number) => say(Math.max(0, head - 50)),
    garbage: () => sockets.say('{"jsonrpc":"2.0","method":"eth_subscription","params":{"result":[null]}}'),
    twice: (head: number) => [say(head), say(head)],
    drop: () => sockets.drop(),
  } as const
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    socketUrl: sockets.url,
    counts,
    heard: () => heard,
    announce(head) {
      if (isCalm || !announcer.chance(lieRate)) say(head)
      else tell[announcer.pick(lies)](head)
    },
    asked: () => ({ requests, questions }),
    calm: () => {
      isCalm = true
    },
    stop: async () => {
      sockets.stop()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const refusal = { error: { code: -32_603, message: 'internal error' } }

async function answerOf(upstream: Upstream, spoil: Spoiler, { method, params }: Call): Promise<object> {
  try {
    return { result: spoil(method, params, await upstream(method, params)) }
  } catch (error) {
    return { error: { code: -32_000, message: String(error) } }
  }
}

type Spoiler = (method: string, params: readonly unknown[], answer: unknown) => unknown
type Spoiling = Readonly<{
  random: Random
  counts: Record<Fault, number>
  isCalm: () => boolean
  leftOut: Set<string>
  rates: FaultRates
}>

/** Makes wrong answers. */
function createSpoiler({ random, counts, isCalm, leftOut, rates }: Spoiling): Spoiler {
  const earlier = new Map<string, unknown[]>()
  const older = (question: string): unknown => {
    const answers = earlier.get(question) ?? []
    return answers[random.whole(Math.max(0, answers.length - 6), answers.length - 1)]
  }
  return (method, params, answer) => {
    const question = JSON.stringify([method, params])
    const served = isCalm() ? answer : (wrong() ?? answer)
    earlier.set(question, [...(earlier.get(question) ?? []), answer])
    return served

    function wrong(): unknown {
      const isHead = params[0] === 'latest'
      const fault = isHead ? 'jumpedBack' : 'stale'
      if (random.chance(rates[fault])) return replaced(fault, older(question))
      if (!Array.isArray(answer) || answer.length === 0 || !random.chance(rates.truncated)) return undefined
      return replaced('truncated', cut(answer, random))
    }

    function replaced(fault: Fault, other: unknown): unknown {
      if (other === undefined || JSON.stringify(other) === JSON.stringify(answer)) return undefined
      if (!leaveOut(answer, other, leftOut)) return undefined
      counts[fault]++
      return other
    }
  }
}

/** Leaves out one log, or a log and all logs after it. */
function cut(logs: readonly unknown[], random: Random): readonly unknown[] {
  const at = random.whole(0, logs.length - 1)
  return random.chance(0.5) ? logs.slice(0, at) : logs.filter((_, index) => index !== at)
}

/** Returns true if `other` may be given instead of `answer`. Logs of a block must not be left out twice. */
function leaveOut(answer: unknown, other: unknown, leftOut: Set<string>): boolean {
  if (!Array.isArray(answer) || !Array.isArray(other)) return true
  const given = new Set(other.map((log: unknown) => JSON.stringify(log)))
  const missing = (answer as readonly LogLike[]).filter((log) => !given.has(JSON.stringify(log)))
  if (missing.some(({ blockHash }) => leftOut.has(blockHash))) return false
  for (const { blockHash } of missing) leftOut.add(blockHash)
  return true
}

/**
 * Answers as if the newest block of the node were `behindBlocks` blocks older. Later blocks are null, and
 * their logs are missing.
 */
function behind({ upstream, behindBlocks = 0, leftOut }: FaultProxyOptions): Upstream {
  if (behindBlocks === 0) return upstream
  return async (method, params) => {
    const head = (await upstream('eth_getBlockByNumber', ['latest', false])) as { number: string }
    const most = Math.max(0, Number(head.number) - behindBlocks)
    if (method === 'eth_getBlockByNumber') {
      const number = params[0] === 'latest' ? most : Number(params[0])
      return number > most ? null : await upstream(method, [`0x${number.toString(16)}`, false])
    }
    const answer = await upstream(method, params)
    if (method !== 'eth_getLogs') return answer
    const logs = answer as readonly LogLike[]
    const served = logs.filter(({ blockNumber }) => Number(blockNumber) <= most)
    return leaveOut(logs, served, leftOut) ? served : logs
  }
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
