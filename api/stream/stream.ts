/**
 * The stream of events to clients: its route, the route that sells passes for it, and the sending of
 * published records.
 */
import { z } from 'zod'
import type { EpochMs } from '../../schemas/units.ts'
import type { PersonalRoute } from '../route.ts'
import { type Refusal, refuse } from '../sale/refusals.ts'
import type { StreamClient, StreamRoute } from '../stream-route.ts'
import { byeOf, createBroadcast, heartbeatMs, type StreamedChain } from './broadcast.ts'
import { type ByeReason, createClients } from './clients.ts'
import { correctionEvents, eventSchemasOf, rowEventsOf } from './event-schemas.ts'
import type { PublishedTick } from './feed.ts'
import { createPassRoute } from './pass-route.ts'
import { createPasses } from './passes.ts'

export type Stream = Readonly<{
  route: StreamRoute
  passRoute: PersonalRoute
  /** Sends the events of a published tick to all clients. A tick is the record that closes a time step. */
  onTick(published: PublishedTick): void
  /** Ends all connections with `failed`. No pass is sold until the next tick. */
  fail(): void
  clientCount(): number
  /** The number of connections that the service ended, by reason. */
  closedCounts(): Readonly<Record<ByeReason, number>>
}>

export type StreamOptions = Readonly<{
  chains: readonly StreamedChain[]
  /** The key that signs passes. */
  secret: string
  publicBaseUrl: string
  /** If false, the service serves neither passes nor the stream. */
  isEnabled: boolean
  nowMs: () => EpochMs
}>

const patterns = ['/v1/sol/bursts/stream', '/sol/bursts/stream'] as const

export function createStream({ chains, secret, publicBaseUrl, isEnabled, nowMs }: StreamOptions): Stream {
  const passes = createPasses(secret)
  const clients = createClients({ byeOf: (reason) => byeOf(reason, nowMs()), nowMs })
  const broadcast = createBroadcast({ chains, clients, nowMs })
  let isOver = false
  let hasFailed = false
  const heart = setInterval(broadcast.heartbeat, heartbeatMs).unref()

  const unavailable = (): Refusal | null => {
    if (!isEnabled) return disabled
    return isOver || hasFailed ? over : null
  }
  const judge = ({ token, address }: StreamClient) => {
    const refusal = unavailable()
    if (refusal !== null) return { refusal }
    const pass = typeof token === 'string' ? passes.read(token, nowMs()) : null
    if (pass === null) return { refusal: badToken }
    const full = clients.refusalOf(pass, address)
    return full === null ? { pass } : { refusal: full }
  }
  const types = [...rowEventsOf(chains), ...correctionEvents]
  return {
    route: {
      patterns,
      description:
        'Server-Sent Events: new rows and corrections, pushed as they become known. Needs a pass. Missed events are not sent again; the live and history routes have their rows.',
      contentType: 'text/event-stream',
      query: z.strictObject({ token: z.string().meta({ description: 'a pass: the `token` of /v1/stream/pass' }) }),
      events: eventSchemasOf(chains),
      refusals: ['bad_token', 'too_many_connections', 'stream_disabled', 'warming_up'],
      refusalOf: (client) => judge(client).refusal ?? null,
      subscribe(client, open) {
        const { pass, refusal = null } = judge(client)
        if (pass) clients.add({ pass, address: client.address, outlet: open() }, broadcast.helloFor(pass))
        return refusal
      },
      end(reason) {
        isOver = true
        clearInterval(heart)
        clients.end(reason)
      },
    },
    passRoute: createPassRoute({ passes, types, streamUrl: publicBaseUrl + patterns[0], refusal: unavailable }),
    onTick(published) {
      hasFailed = false
      broadcast.onTick(published)
    },
    fail() {
      hasFailed = true
      clients.end('failed')
    },
    clientCount: clients.count,
    closedCounts: clients.closedCounts,
  }
}

const disabled = refuse(
  'stream_disabled',
  'the stream is switched off on this server. Nothing was charged. Poll the live routes instead',
)
const over = refuse(
  'warming_up',
  'the service cannot read the stream at the moment. Nothing was charged. Try again in 30 s',
  30,
)
const badToken = refuse(
  'bad_token',
  'the parameter `token` is missing, was not issued by this service, or has expired. Buy a pass at /v1/stream/pass and send its token',
)
