/**
 * A server that answers honestly until its lies are turned on. Then the server changes answers at random, in
 * their content and in the way they are sent.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom, type Random } from '../../../../ingest/simulated/random.ts'
import { type PlainServer, startPlainServer } from '../../../support/sockets/plain-server.ts'
import type { Lying } from './tell.ts'

export type Question = Readonly<{ method: string; path: string; body: string }>
export type Answer = Readonly<{
  status: number
  text: string
  type?: string
  headers?: Readonly<Record<string, string>>
}>

export type LiarOptions = Readonly<{
  seed: number
  honest: (question: Question) => Promise<Answer>
  /** Returns a false answer in the form of the honest one. */
  lie: (question: Question, answer: Answer, lying: Lying) => Answer
  believed?: readonly string[]
  /** The ways in which the server may misbehave. By default, all of them. */
  manners?: readonly Manner[]
}>

export type Liar = Readonly<{
  url: string
  /** Turns the lies on or off. */
  lies: (isLying: boolean) => void
  isLying: () => boolean
  random: Random
  /** The number of lies, by kind. */
  told: ReadonlyMap<string, number>
  count: (kind: string) => void
  asked: () => number
  stop: () => Promise<void>
}>

/**
 * The shares of false answers, each used for `shareMs`, in turn. With a small share, the readers get far
 * enough that false answers reach their inner code.
 */
const shares = [0.05, 0.2, 0.5, 0.9] as const
const shareMs = 5_000

export async function startLiar(options: LiarOptions): Promise<Liar> {
  const { seed, honest, lie, believed = [], manners = mannerNames } = options
  const random = createRandom(seed, 91)
  const told = new Map<string, number>()
  const count = (kind: string) => void told.set(kind, (told.get(kind) ?? 0) + 1)
  const lying: Lying = { random, count, believed: new Set(believed) }
  let isLying = false
  let asked = 0
  const share = () => shares[Math.floor(Date.now() / shareMs) % shares.length] ?? 1

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const question = { method: request.method ?? '', path: request.url ?? '', body: await textOf(request) }
    asked += 1
    if (!isLying || !random.chance(share())) return send(response, await honest(question))
    const manner = random.chance(0.5) ? undefined : manners[random.whole(0, manners.length - 1)]
    if (manner === undefined) return send(response, lie(question, await honest(question), lying))
    count(manner)
    const said = random.chance(0.5) ? await honest(question) : nothingDone
    await misbehave[manner]({ request, response, said, random, isOver: () => !isLying })
  }
  const server: PlainServer = await startPlainServer((request, response) => {
    response.on('error', () => undefined)
    answer(request, response).catch(() => response.destroy())
  })
  return {
    ...{ url: server.url, random, told, count, asked: () => asked, stop: server.stop },
    isLying: () => isLying,
    lies: (isNow) => {
      isLying = isNow
    },
  }
}

/** The answer that is sent, in a damaged form, if the request is not passed on to the honest server. */
const nothingDone: Answer = { status: 200, text: '{"ok":true}' }

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function send(response: ServerResponse, { status, text, type = 'application/json', headers = {} }: Answer): void {
  response.writeHead(status, { 'content-type': type, ...headers })
  response.end(text)
}

type Misbehaving = Readonly<{
  request: IncomingMessage
  response: ServerResponse
  said: Answer
  random: Random
  /** Whether the lies are off again. */
  isOver: () => boolean
}>

const page = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>'
const statuses = [400, 401, 403, 404, 410, 418, 451, 500, 502, 503, 504, 520, 599] as const
const retryAfters = ['0', '-1', '1', '20', '1.5', 'soon', '', 'Thu, 01 Jan 1970 00:00:00 GMT', 'NaN', '0x10'] as const
const tricklesMax = 100
/** An endless answer ends after this many bytes. */
const endlessBytes = 200_000_000
const chunk = Buffer.alloc(65_536, '[')

const misbehave = {
  'a status of failure': ({ response, said, random }: Misbehaving) =>
    send(response, {
      ...said,
      status: random.pick(statuses),
      text: random.pick(['', said.text, page, '{}', '{"error":1}']),
    }),
  '429 with an odd Retry-After': ({ response, random }: Misbehaving) =>
    send(response, { status: 429, text: '', headers: { 'retry-after': random.pick(retryAfters) } }),
  'a page of HTML': ({ response, random }: Misbehaving) =>
    send(response, { status: random.pick([200, 502]), text: page, type: 'text/html' }),
  'invalid JSON': ({ response, said, random }: Misbehaving) =>
    send(response, {
      ...said,
      text: random.pick(['', '{', 'undefined', '\u0000', `${said.text}]`, said.text.slice(0, -1)]),
    }),
  'a closed socket': ({ request }: Misbehaving) => void request.socket.destroy(),
  'half an answer': ({ response, said, request }: Misbehaving) => {
    response.writeHead(200, { 'content-length': Buffer.byteLength(said.text) + 10 })
    response.write(said.text.slice(0, said.text.length / 2 + 1), () => request.socket.destroy())
  },
  'a slow answer': async ({ response, said, isOver }: Misbehaving) => {
    response.writeHead(200, { 'content-type': said.type ?? 'application/json' })
    const step = Math.ceil(said.text.length / tricklesMax)
    for (let at = 0; at < said.text.length && !response.destroyed; at += step) {
      response.write(said.text.slice(at, at + step))
      if (!isOver()) await sleep(100)
    }
    response.end()
  },
  silence: async ({ request, random, isOver }: Misbehaving) => {
    for (let left = random.whole(5, 50); left > 0 && !isOver(); left--) await sleep(100)
    request.socket.destroy()
  },
  'an endless answer': async ({ response, isOver }: Misbehaving) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    for (let sent = 0; sent < endlessBytes && !response.destroyed && !isOver(); sent += chunk.length) {
      if (response.write(chunk)) continue
      await Promise.race([new Promise((resolve) => response.once('drain', resolve)), sleep(1_000)])
    }
    response.destroy()
  },
  'megabytes of text': ({ response, said }: Misbehaving) =>
    send(response, { ...said, text: JSON.stringify('y'.repeat(5_000_000)) }),
  'deep brackets': ({ response, said }: Misbehaving) =>
    send(response, { ...said, text: `${'['.repeat(100_000)}${']'.repeat(100_000)}` }),
  'a redirect': ({ response, random, request }: Misbehaving) =>
    send(response, {
      status: random.pick([301, 302, 303, 307, 308]),
      text: '',
      headers: {
        location: random.pick([request.url ?? '/', '/elsewhere', 'http://127.0.0.1:1/', '//', 'file:///etc/passwd']),
      },
    }),
  'a false encoding': ({ response, said }: Misbehaving) =>
    send(response, { ...said, headers: { 'content-encoding': 'gzip' } }),
} as const satisfies Readonly<Record<string, (it: Misbehaving) => void | Promise<void>>>

type Manner = keyof typeof misbehave
const mannerNames = Object.keys(misbehave) as readonly Manner[]
