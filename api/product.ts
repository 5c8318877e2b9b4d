/**
 * The type of a product: routes that use data of several sources together. A source is a chain or the chats.
 * The products are listed in `products.ts`.
 */
import type { FreeRoute } from './free-route.ts'
import type { FrontCallsPart } from './front/parts.ts'
import type { Route } from './route.ts'
import type { Answers } from './sale/answers.ts'
import type { ApiSource } from './source.ts'

type FreeContext = Readonly<{ sources: readonly ApiSource[]; answers: Answers; nowMs: () => number }>

/**
 * A product. Each source (a chain or the chats) defines its own part of a product, so the code of the product
 * names no source.
 */
export type ApiProduct = Readonly<{
  /** Returns the paid routes of the product, or none if no source has a part for the product. */
  routesOf(sources: readonly ApiSource[]): readonly Route[]
  /** Returns the free routes of the product. Absent if nothing of the product is free. */
  freeRoutesOf?(context: FreeContext): readonly FreeRoute[]
  /** Returns what the front page shows of calls, or null if there are no chats. Absent if the product is not about calls. */
  frontCallsOf?(sources: readonly ApiSource[]): FrontCallsPart | null
}>
