/** A route that pushes events to the holder of a pass, as a value. The server and the documents read these fields. */
import type { z } from 'zod'
import type { Refusal, RefusalCode } from './sale/refusals.ts'
import type { ByeReason, Outlet } from './stream/clients.ts'

export type StreamRoute = Readonly<{
  /** The paths of the route. The first pattern is canonical. The others are aliases. */
  patterns: readonly [`/v1/${string}`, ...`/${string}`[]]
  description: string
  contentType: 'text/event-stream'
  query: z.ZodObject
  /** The description and the data schema of each event, by the event's name. */
  events: Readonly<Record<string, Readonly<{ description: string; schema: z.ZodObject }>>>
  refusals: readonly RefusalCode[]
  /** Returns the reason why this client gets no stream, or null if it would get one now. */
  refusalOf(client: StreamClient): Promise<Refusal | null>
  /**
   * Opens the connection for the events (`Outlet`) and returns null, or returns the refusal for the client. `open` returns
   * null if the client has disconnected.
   */
  subscribe(client: StreamClient, open: () => Outlet | null): Promise<Refusal | null>
  /** Ends every connection with this reason. After that, no new connections are accepted. */
  end(reason: ByeReason): void
}>

/** The request of a client, as the client sent it. Only text can be a valid parameter. */
export type StreamClient = Readonly<{
  token: unknown
  /** The cursor after which the stream begins. Undefined: the stream begins with new events. */
  from?: unknown
  /** If it is `1`, and `from` is undefined, the stream begins after `lastEventId`. */
  resume?: unknown
  /** The header Last-Event-ID. Browsers send it when they connect again. */
  lastEventId?: string
  address: string
}>
