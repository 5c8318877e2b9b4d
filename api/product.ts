/** What several sources are sold as together. The products are listed in `products.ts`. */
import type { FreeRoute } from './free-route.ts'
import type { Route } from './route.ts'
import type { Answers } from './sale/answers.ts'
import type { ApiSource } from './source.ts'

type FreeContext = Readonly<{ sources: readonly ApiSource[]; answers: Answers; nowMs: () => number }>

/** A product names no source: it takes the parts that sources bring for it. */
export type ApiProduct = Readonly<{
  /** None where no source brings a part. */
  routesOf(sources: readonly ApiSource[]): readonly Route[]
  /** Left out: nothing of it is free. */
  freeRoutesOf?(context: FreeContext): readonly FreeRoute[]
}>
