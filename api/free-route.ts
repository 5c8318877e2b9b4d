import type { z } from 'zod'
import type { Params, ParamValues } from './sale/params.ts'

/** A free route as a value. What serves routes and describes them reads these fields and names no route. */
export type FreeRoute = Readonly<{
  /** The canonical one first; the others answer the same. */
  patterns: readonly [`/${string}`, ...`/${string}`[]]
  description: string
  /** Default: none. */
  params?: Params
  /** The name of its tool over MCP. Without one there is no tool. */
  tool?: string
  /** Requests a minute of one address, of this route alone. Default: the limit that the other free routes share. */
  perMinute?: number
  /** The answer is made once and is the same as long as the service runs: it has an ETag. */
  isFrozen?: boolean
  /** Of the body, every field with its availability and description: see `resource.ts`. */
  schema: z.ZodObject
  /** Costs little and nothing that a caller can raise: it is asked without payment. */
  answer(values: ParamValues<Params>): Promise<object>
  /** What documents show of an answer. */
  example?(): Promise<object>
}>

/** Requests a minute of one address, of all free routes without a limit of their own together. */
export const freeRequestsPerMinute = 120
