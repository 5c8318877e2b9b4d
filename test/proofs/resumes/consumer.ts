/** A client of the stream that keeps the frames that it received. */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'

export type Frame = Readonly<{ name: string; id: string; line: string }>

export type Consumer = Readonly<{
  status: number
  /** The body of a refusal. */
  refusal: Readonly<Record<string, string>> | null
  /** The time just before the request. */
  beganAtMs: number
  frames: readonly Frame[]
  hasCaughtUp(): boolean
  hasEnded(): boolean
  /** Cuts the connection. */
  kill(): void
}>

type Place = Readonly<{ port: number; token: string }>

let addresses = 0

/** Connects, and continues after the cursor. */
export async function connect({ port, token }: Place, cursor: string): Promise<Consumer> {
  const path = `/v1/sol/bursts/stream?token=${token}&from=${cursor}`
  const headers = { 'X-Forwarded-For': `198.51.100.${++addresses % 250}` }
  const beganAtMs = Date.now()
  const request = get({ host: '127.0.0.1', port, path, headers, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.setEncoding('utf8')
  const frames: Frame[] = []
  const state = { rest: '', hasCaughtUp: false, hasEnded: false }
  const common = {
    ...{ status: response.statusCode ?? 0, beganAtMs, frames },
    ...{ hasCaughtUp: () => state.hasCaughtUp, hasEnded: () => state.hasEnded },
    kill: () => void request.destroy(),
  }
  request.on('error', () => {})
  response.on('error', () => {})
  response.once('close', () => {
    state.hasEnded = true
  })
  if (response.statusCode !== 200) {
    let body = ''
    for await (const chunk of response) body += chunk
    return { ...common, refusal: JSON.parse(body) }
  }
  response.on('data', (chunk: string) => {
    const parts = (state.rest + chunk).split('\n\n')
    state.rest = parts.pop() ?? ''
    for (const part of parts) frames.push(frameOf(part))
    state.hasCaughtUp ||= frames.at(-1)?.name === 'caught-up' || parts.some((part) => part.includes('event: caught-up'))
  })
  return { ...common, refusal: null }
}

function frameOf(text: string): Frame {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? ''
  return { name: field('event'), id: field('id'), line: field('data') }
}
