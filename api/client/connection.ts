/** Reads one connection of the stream. */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { OperationError } from '../../infra/errors.ts'
import type { DurationMs } from '../../schemas/units.ts'

/** The maximum length of one event in characters. */
const eventLengthMax = 1_048_576

type Reading = Readonly<{
  /** Called with the reconnection time that the service asks for, in ms. */
  onRetry: (retryMs: DurationMs) => void
  /** The maximum time without any byte, in ms. */
  idleMs: DurationMs
  /** Ends the connection. */
  abort: () => void
}>

/**
 * Yields the complete events of a response. Throws if the connection breaks, or if it is silent for too long. While
 * the caller handles an event, nothing more is read.
 */
export async function* readConnection(
  body: ReadableStream<Uint8Array>,
  { onRetry, idleMs, abort }: Reading,
): AsyncGenerator<EventSourceMessage, void> {
  let waiting: EventSourceMessage[] = []
  let isTooLong = false
  const parser = createParser({
    onEvent: (event) => void waiting.push(event),
    onRetry,
    onError: ({ type }) => {
      isTooLong ||= type === 'max-buffer-size-exceeded'
    },
    maxBufferSize: eventLengthMax,
  })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  try {
    for (;;) {
      const silence = setTimeout(abort, idleMs)
      const { done, value } = await reader.read().finally(() => clearTimeout(silence))
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      if (isTooLong)
        throw new OperationError('stream_failed', `an event of the stream is longer than ${eventLengthMax} characters`)
      const events = waiting
      waiting = []
      yield* events
    }
  } finally {
    abort()
    reader.releaseLock()
  }
}
