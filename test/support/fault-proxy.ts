/**
 * A JSON-RPC proxy on a socket of its own that does to its node's answers what bad nodes and networks do, by chance from a
 * seed. It leaves a log of a block out only once: a node that never gives a log cannot be told from one that has none.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRandom, type Random } from '../../ingest/simulated/random.ts'
import { serveSockets } from './socket-double.ts'

export type Upstream = (method: string, params: readonly unknown[]) => Promise<unknown>

/** Chance of each fault: the first five a request, the others an answer. */
const faultRates = {
  refused: 0.02,
  busy: 0.02,
  dropped: 0.02,
  failed: 0.02,
  silent: 0.003,
  truncated: 0.08,
  /** An older answer to the same question: a header or logs of a branch that is gone. */
  stale: 0.03,
  jumpedBack: 0.04,
} as const

/** What its socket sends when the chain may have grown; most often a true head, and else one of these. */
const lies = ['nothing', 'too high', 'too low', 'garbage', 'twice', 'drop'] as const
const lieRate = 0.5

type Fault = keyof typeof faultRates
type FaultRates = Readonly<Record<Fault, number>>
export type FaultCounts = Readonly<Record<Fault, number>>

/** This share of the requests fails as a whole, in any of the ways that cost no timeout. Every answer is right. */
export function scatteredFaults(share: number): FaultRates {
  const each = 1 - (1 - share) ** (1 / 4)
  return { refused: each, busy: each, dropped: each, failed: each, silent: 0, truncated: 0, stale: 0, jumpedBack: 0 }
}

export type FaultProxyOptions = Readonly<{
  upstream: Upstream
  seed: number
  /** The node behind it is this many blocks late. */
  behindBlocks?: number
  /** Which answers have left out what; shared by the proxies of one chain. */
  leftOut: Set<string>
  rates?: FaultRates
}>

export type FaultProxy = Readonly<{
  url: string
  /** A socket on which it announces heads. It answers no other question. */
  socketUrl: string
  counts: FaultCounts
  /** Announcements that reached a subscriber, true or not. */
  heard(): number
  /** The chain may have grown to this block: its socket says so, or something else. */
  announce(head: number): void
  /** HTTP requests so far, and the questions in them. */
  asked(): Readonly<{ requests: number; questions: number }>
  /** From now on it passes everything on as it is. */
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

/** Answers that arrive, but are not right. */
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

/** One log, or all from one on. */
function cut(logs: readonly unknown[], random: Random): readonly unknown[] {
  const at = random.whole(0, logs.length - 1)
  return random.chance(0.5) ? logs.slice(0, at) : logs.filter((_, index) => index !== at)
}

/** Whether the other answer may be given: it leaves out nothing of a block that something was left out of before. */
function leaveOut(answer: unknown, other: unknown, leftOut: Set<string>): boolean {
  if (!Array.isArray(answer) || !Array.isArray(other)) return true
  const given = new Set(other.map((log: unknown) => JSON.stringify(log)))
  const missing = (answer as readonly LogLike[]).filter((log) => !given.has(JSON.stringify(log)))
  if (missing.some(({ blockHash }) => leftOut.has(blockHash))) return false
  for (const { blockHash } of missing) leftOut.add(blockHash)
  return true
}

/** The node as it was some blocks ago: what it does not have yet it gives as null, or as a shorter list. */
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
