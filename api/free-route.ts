import type { z } from 'zod'
import type { DurationMs } from '../schemas/units.ts'
import type { Params, ParamValues } from './sale/params.ts'

/**
 * The description of a free route. The server and the documents read these fields, so their own code contains
 * no route names.
 */
export type FreeRoute = Readonly<{
  /** The paths of the route. The first pattern is canonical. The others are aliases. */
  patterns: readonly [`/${string}`, ...`/${string}`[]]
  description: string
  /** The parameters of the route. Default: none. */
  params?: Params
  /** The name of the MCP tool. Default: the route has no tool. */
  tool?: string
  /** The media type of the body, which is JSON. Default: `application/json`. */
  mediaType?: string
  /** The maximum number of requests per minute and address for this route alone. Default: the shared limit of the free routes. */
  perMinute?: number
  /**
   * If true, the answer is computed only one time and has an ETag. It does not change while the service runs,
   * unless `changesEveryMs` is set.
   */
  isFrozen?: boolean
  /** If a frozen answer can change: the interval at which it is computed again, in ms. Default: never. */
  changesEveryMs?: DurationMs
  /** The schema of the body. Each field has its availability and description; see `resource.ts`. */
  schema: z.ZodObject
  /** Returns the body. The body must be cheap, because nobody pays for it. A client must not be able to raise the cost. */
  answer(values: ParamValues<Params>): Promise<object>
  /** Returns an example answer for the documents. */
  example?(): Promise<object>
}>

/** The maximum number of requests per minute and address for all free routes without `perMinute` together. */
export const freeRequestsPerMinute = 120
