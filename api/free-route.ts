import type { z } from 'zod'
import type { Params, ParamValues } from './sale/params.ts'

/** A free route as a value. The server and the documents read these fields, so neither names a single route. */
export type FreeRoute = Readonly<{
  /** The first pattern is canonical; the others are aliases. */
  patterns: readonly [`/${string}`, ...`/${string}`[]]
  description: string
  /** Default: none. */
  params?: Params
  /** Name of the MCP tool. Default: the route has no tool. */
  tool?: string
  /** Limit of requests per minute and address for this route alone. Default: the shared limit of the free routes. */
  perMinute?: number
  /** The answer is computed once and does not change while the service runs, so it has an ETag. */
  isFrozen?: boolean
  /** Schema of the body. Each field has its availability and description; see `resource.ts`. */
  schema: z.ZodObject
  /** Must be cheap, and a caller must not be able to raise its cost, because nobody pays for it. */
  answer(values: ParamValues<Params>): Promise<object>
  /** An example answer for the documents. */
  example?(): Promise<object>
}>

/** Requests per minute and address, shared by all free routes that have no limit of their own. */
export const freeRequestsPerMinute = 120
