/**
 * The stream of events to clients: its route, the route that sells passes for it, and the sending of
 * published records.
 */
import { z } from 'zod'
import type { Logger } from '../../infra/telemetry.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { PersonalRoute } from '../route.ts'
import { type Refusal, refuse } from '../sale/refusals.ts'
import type { StreamClient, StreamRoute } from '../stream-route.ts'
import { byeOf, createBroadcast, heartbeatMs } from './broadcast.ts'
import { createCatchUp } from './catch-up.ts'
import { type ByeReason, createClients } from './clients.ts'
import type { Place } from './cursor.ts'
import { createCursorCheck } from './cursor-check.ts'
import { correctionEvents, eventSchemasOf, rowEventsOf } from './event-schemas.ts'
import type { FeedLog } from './feed.ts'
import { createPacedReads } from './paced-reads.ts'
import { createPassRoute } from './pass-route.ts'
import { createPasses } from './passes.ts'
import { createPast } from './past.ts'
import type { PublishedTick } from './published-ticks.ts'
import { createResumes, type ResumeCounts } from './resumes.ts'
import type { StreamedChain } from './row-events.ts'

export type Stream = Readonly<{
  route: StreamRoute
  passRoute: PersonalRoute
  /** Sets the offset at which the reader of the published ticks begins. */
  onStart(place: Place, offset: number): void
  /** Sends the events of a published tick to all clients. A tick is the record that closes a time step. */
  onTick(published: PublishedTick): void
  /** Ends all connections with `failed`. No pass is sold until the next tick. */
  fail(): void
  clientCount(): number
  /** The number of connections that the service ended, by reason. */
  closedCounts(): Readonly<Record<ByeReason, number>>
  /** The number of clients that get earlier events now. */
  catchingUpCount(): number
  /** The number of connections that continued, or should continue, after a cursor. */
  resumeCounts(): ResumeCounts
  /** The number of events that were sent again. */
  eventsAgainCount(): number
}>

export type StreamOptions = Readonly<{
  /** The log from which earlier events are read. */
  open: FeedLog
  logger: Pick<Logger, 'warn' | 'error'>
  chains: readonly StreamedChain[]
  /** The key that signs passes. */
  secret: string
  publicBaseUrl: string
  /** If false, the service serves neither passes nor the stream. */
  isEnabled: boolean
  nowMs: () => EpochMs
}>

const patterns = ['/v1/sol/bursts/stream', '/sol/bursts/stream'] as const

export function createStream(options: StreamOptions): Stream {
  const { open, logger, chains, secret, publicBaseUrl, isEnabled, nowMs } = options
  const passes = createPasses(secret)
  const clients = createClients({ byeOf: (reason) => byeOf(reason, nowMs()), nowMs })
  const broadcast = createBroadcast({ chains, clients, nowMs })
  const past = createPast({ open, chains, reads: createPacedReads() })
  const resumes = createResumes({
    check: createCursorCheck({ log: open.log, stages: chains.map(({ stage }) => stage), nowMs }),
    catchUp: createCatchUp({ chains, past, broadcast, nowMs }),
    ...{ clients, broadcast, logger },
  })
  let isOver = false
  let hasFailed = false
  const heart = setInterval(broadcast.heartbeat, heartbeatMs).unref()

  const unavailable = (): Refusal | null => {
    if (!isEnabled) return disabled
    return isOver || hasFailed ? over : null
  }
  const judge = ({ token, address, ...asked }: StreamClient) => {
    const refusal = unavailable()
    if (refusal !== null) return { refusal }
    const pass = typeof token === 'string' ? passes.read(token, nowMs()) : null
    if (pass === null) return { refusal: badToken }
    const full = clients.refusalOf(pass, address)
    if (full !== null) return { refusal: full }
    const cursor = cursorOf(asked)
    return typeof cursor === 'object' && cursor !== null ? { refusal: cursor } : { pass, cursor }
  }
  const types = [...rowEventsOf(chains), ...correctionEvents]
  return {
    route: {
      patterns,
      description:
        'Server-Sent Events: new rows and corrections, pushed as they become known. Needs a pass. With `from`, a client that was away first gets the events that it missed, up to 24 h back, and loses none. Without it, missed events are not sent again; the live and history routes have their rows.',
      contentType: 'text/event-stream',
      query,
      events: eventSchemasOf(chains),
      refusals: [
        ...(['bad_token', 'bad_param', 'cursor_unknown', 'cursor_too_old'] as const),
        ...(['too_many_connections', 'stream_disabled', 'warming_up'] as const),
      ],
      async refusalOf(client) {
        const { pass, cursor = null, refusal = null } = judge(client)
        return pass === undefined || cursor === null ? refusal : resumes.refusalOf({ pass, cursor })
      },
      async subscribe(client, openOutlet) {
        const { pass, cursor, refusal = null } = judge(client)
        if (!pass) return refusal
        const { address } = client
        if (cursor !== null) {
          const judgeAgain = () => judge(client).refusal ?? null
          return resumes.begin({ pass, address, cursor, judgeAgain, open: openOutlet })
        }
        const outlet = openOutlet()
        if (outlet) clients.add({ pass, address, outlet }, broadcast.helloFor(pass))
        return null
      },
      end(reason) {
        isOver = true
        clearInterval(heart)
        clients.end(reason)
      },
    },
    passRoute: createPassRoute({ passes, types, streamUrl: publicBaseUrl + patterns[0], refusal: unavailable }),
    onStart: broadcast.onStart,
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
    catchingUpCount: resumes.running,
    resumeCounts: resumes.counts,
    eventsAgainCount: resumes.eventCount,
  }
}

const query = z.strictObject({
  token: z.string().meta({ description: 'a pass: the `token` of /v1/stream/pass' }),
  from: z.string().optional().meta({
    description:
      'the id of the last event that the client has: the stream first sends the events after it again, and then `caught-up`',
  }),
  resume: z.literal('1').optional().meta({
    description: 'with 1, the request header Last-Event-ID counts like `from`. Browsers send this header by themselves',
  }),
})

/** Returns the cursor after which the stream begins, null if it begins with new events, or a refusal. */
function cursorOf({ from, resume, lastEventId = '' }: Omit<StreamClient, 'token' | 'address'>) {
  if (Array.isArray(from)) return twice
  if (resume !== undefined && resume !== '1') return badResume
  if (typeof from === 'string') return from
  return resume === '1' && lastEventId !== '' ? lastEventId : null
}

const twice = refuse('bad_param', 'the parameter `from` was given twice. Send it one time')
const badResume = refuse('bad_param', 'the parameter `resume` must be 1. Leave it out to begin with new events')

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
