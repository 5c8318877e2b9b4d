/** A route that pushes events to whoever holds a pass, as a value. What serves it and describes it reads these fields. */
import type { z } from 'zod'
import type { Refusal, RefusalCode } from './sale/refusals.ts'
import type { ByeReason, Outlet } from './stream/clients.ts'

export type StreamRoute = Readonly<{
  /** The canonical one first; the others answer the same. */
  patterns: readonly [`/v1/${string}`, ...`/${string}`[]]
  description: string
  contentType: 'text/event-stream'
  query: z.ZodObject
  /** By name: the data of each event. */
  events: Readonly<Record<string, Readonly<{ description: string; schema: z.ZodObject }>>>
  refusals: readonly RefusalCode[]
  /** Why this client gets no stream; null: it would get one now. */
  refusalOf(client: StreamClient): Refusal | null
  /** Opens the outlet of a client that is not refused. */
  subscribe(client: StreamClient, open: () => Outlet): Refusal | null
  /** Ends every connection with this reason, and takes no others. */
  end(reason: ByeReason): void
}>

/** `token` as the client wrote it; anything but text is none. */
export type StreamClient = Readonly<{ token: unknown; address: string }>
