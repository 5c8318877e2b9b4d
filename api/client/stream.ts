/** Reads the stream across connections: buys passes, connects again, and continues after the last event. */
import type { EventSourceMessage } from 'eventsource-parser'
import { isOperationError, OperationError } from '../../infra/errors.ts'
import { limited } from '../../infra/limited.ts'
import { textOfResponse } from '../../infra/text-of-response.ts'
import type { DurationMs } from '../../schemas/units.ts'
import { pauseMs, type World } from './backoff.ts'
import { readConnection } from './connection.ts'
import type { Passes } from './passes.ts'
import { parsed, refusedIn, retryAfterMsOf, type Service, urlOf } from './request.ts'
import { createResentCheck, type ReadEvent } from './resent.ts'
import { isAboutRow, type StreamEventName, type StreamEvents } from './stream-events.ts'

export type StreamAsked = Readonly<{
  /** The names of the events to get. Null: rows and corrections. */
  types: readonly StreamEventName[] | null
  /** The cursor of the last event that was handled. Null: the stream begins with the next event. */
  from: string | null
  signal: AbortSignal
}>

type StreamOptions = Readonly<{
  service: Service
  passes: Passes
  world: World
  /** The maximum number of connections one after the other that bring no event. */
  attemptsMax: number
}>

/** An event, and the cursor with which a later stream continues after it. */
export type Streamed = Readonly<{ data: StreamEvents[StreamEventName]; cursor: string | null }>

/** The path is the service's own, for all chains. */
const streamPath = '/v1/sol/bursts/stream'
/** The service sends a heartbeat every 15 s. */
const idleMs = 45_000
const retryMsDefault = 3_000
const pauseMsMax = 60_000
const bodyBytesMax = 65_536

/**
 * What the stream remembers between two connections. `turn` counts the connections without an event. `retryMs` is
 * what the service asked for.
 */
type Course = { cursor: string | null; turn: number; retryMs: DurationMs }

export async function* readStream(options: StreamOptions, asked: StreamAsked): AsyncGenerator<Streamed, void> {
  const { signal, release } = limited([asked.signal, options.service.signal])
  try {
    yield* readUntil(options, { ...asked, signal })
  } finally {
    release()
  }
}

async function* readUntil(options: StreamOptions, asked: StreamAsked): AsyncGenerator<Streamed, void> {
  const { world, attemptsMax } = options
  const { signal } = asked
  const course: Course = { cursor: asked.from, turn: 0, retryMs: retryMsDefault }
  while (!signal.aborted) {
    const ending = yield* connectOnce(options, asked, course)
    if (signal.aborted) return
    if (ending.isPassOver) continue
    if (course.turn >= attemptsMax)
      throw new OperationError(
        'stream_failed',
        `${course.turn} connections to the stream brought no event. Continue later from the cursor in the context`,
        { context: { cursor: course.cursor }, cause: ending.cause },
      )
    const pause = { baseMs: course.retryMs, maxMs: pauseMsMax, turn: course.turn, atLeastMs: ending.retryAfterMs }
    await world.sleep(pauseMs(pause, world.random), signal)
    course.turn += 1
  }
}

type Ending = Readonly<{ isPassOver: boolean; retryAfterMs: DurationMs | null; cause?: unknown }>

const broken: Ending = { isPassOver: false, retryAfterMs: null }

/** Reads one connection to its end, and returns how it ended. Throws if another connection would not help. */
async function* connectOnce(
  { service, passes }: StreamOptions,
  asked: StreamAsked,
  course: Course,
): AsyncGenerator<Streamed, Ending> {
  const pass = await passes.current().catch(nullIfPassing)
  if (pass === null) return broken
  const { signal, abort, stopClock, release } = limited([asked.signal], service.timeoutMs)
  try {
    const url = urlOf(service, streamPath)
    url.searchParams.set('token', pass.token)
    if (course.cursor !== null) url.searchParams.set('from', course.cursor)
    const response = await service.fetch(url, { headers: { accept: 'text/event-stream' }, signal, redirect: 'error' })
    // From here on, only a silence ends the connection.
    if (response.status === 200) stopClock()
    const ending =
      response.status === 200 && response.body !== null
        ? yield* followed(readConnection(response.body, { ...readingOf(course), abort }), asked, course)
        : await refusedEnding(response, { ...course, isPassNew: pass.isNew })
    if (ending.isPassOver) await passes.drop(pass.token)
    return ending
  } catch (cause) {
    if (isOperationError(cause)) throw cause
    return { ...broken, cause }
  } finally {
    release()
    abort()
  }
}

const readingOf = (course: Course) => ({
  idleMs,
  onRetry: (retryMs: DurationMs) => {
    course.retryMs = Math.min(retryMs, pauseMsMax)
  },
})

/** Returns null for a failure of the purchase of a pass that may be over soon. Throws any other failure. */
function nullIfPassing(cause: unknown): null {
  if (isOperationError(cause, 'service_unreachable') || isOperationError(cause, 'purchase_open')) return null
  if (isOperationError(cause, 'request_refused') && mayPass(cause.context)) return null
  throw cause
}

const mayPass = ({ status, code }: Readonly<Record<string, unknown>>): boolean =>
  (Number(status) >= 500 || status === 429) && code !== 'stream_disabled'

/** Hands on the events of one connection, and keeps the cursor. */
async function* followed(
  events: AsyncGenerator<EventSourceMessage, void>,
  { types }: StreamAsked,
  course: Course,
): AsyncGenerator<Streamed, Ending> {
  const keep = createKeeper(course)
  const isWanted = (name: string) => (types === null ? isAboutRow(name) : types.some((type) => type === name))
  for await (const { event: name = '', id, data: text } of events) {
    const data = parsed(text) as StreamEvents[StreamEventName] | undefined
    if (typeof data !== 'object') return broken
    keep({ name, id, text, data })
    if (isWanted(name)) yield { data, cursor: course.cursor }
    if (name === 'bye') return { ...broken, isPassOver: 'reason' in data && data.reason === 'expired' }
  }
  return broken
}

/**
 * Keeps the cursor of one connection, and checks the events that were sent again. Until the stream has caught up,
 * events about the stream have no cursor of the client.
 */
function createKeeper(course: Course): (event: ReadEvent) => void {
  const isCaughtUpAfter = course.cursor === null ? () => true : createResentCheck(course.cursor)
  return (event) => {
    const isCaughtUp = isCaughtUpAfter(event)
    if (event.name !== 'hello') course.turn = 0
    if (event.id !== undefined && (isCaughtUp || isAboutRow(event.name))) course.cursor = event.id
  }
}

/** Decides whether another connection can help after a response without a stream. */
async function refusedEnding(response: Response, course: Course & Readonly<{ isPassNew: boolean }>): Promise<Ending> {
  const { status, headers } = response
  const body = refusedIn({ text: (await textOfResponse(response, bodyBytesMax)) ?? '' })
  const ending = { isPassOver: false, retryAfterMs: retryAfterMsOf(headers), cause: body }
  if (body === null || mayPass({ status, code: body.code })) return ending
  if (status === 401 && !course.isPassNew) return { ...ending, isPassOver: true }
  if (course.cursor !== null && [400, 409, 410].includes(status))
    throw new OperationError(
      'cursor_refused',
      `the service cannot continue after the cursor ${course.cursor}: ${body.error}`,
      { context: { code: body.code, cursor: course.cursor, oldest: body.oldest ?? null } },
    )
  throw new OperationError('request_refused', `the service refused the stream: ${body.error}`, {
    context: { status, code: body.code },
  })
}
