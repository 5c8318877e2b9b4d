/** A route that pushes events to the holder of a pass, as a value. The server and the documents read these fields. */
import type { z } from 'zod'
import type { Refusal, RefusalCode } from './sale/refusals.ts'
import type { ByeReason, Outlet } from './stream/clients.ts'

export type StreamRoute = Readonly<{
  /** The first pattern is canonical; the others are aliases. */
  patterns: readonly [`/v1/${string}`, ...`/${string}`[]]
  description: string
  contentType: 'text/event-stream'
  query: z.ZodObject
  /** Description and data schema of each event, by event name. */
  events: Readonly<Record<string, Readonly<{ description: string; schema: z.ZodObject }>>>
  refusals: readonly RefusalCode[]
  /** Why this client gets no stream, or null if it would get one now. */
  refusalOf(client: StreamClient): Refusal | null
  /** Opens an outlet for the client unless it is refused, in which case it returns the refusal. */
  subscribe(client: StreamClient, open: () => Outlet): Refusal | null
  /** Ends every connection with this reason and accepts no new ones. */
  end(reason: ByeReason): void
}>

/** `token`: as the client sent it. Only text can be a valid token. */
export type StreamClient = Readonly<{ token: unknown; address: string }>
