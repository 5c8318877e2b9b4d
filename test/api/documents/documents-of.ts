/** Makes the documents of routes in the same way as the service. */
import { createDocuments, type Documents } from '../../../api/documents/documents.ts'
import type { OpenApi } from '../../../api/documents/openapi.ts'
import { createFreeRoutes } from '../../../api/edge/free-routes.ts'
import type { FreeRoute } from '../../../api/free-route.ts'
import type { Route } from '../../../api/route.ts'
import { createFixedQueries } from '../../support/fixed-queries.ts'
import { apiChains, apiStream, paidRoutes } from '../../support/payments/paid-routes.ts'
import { signingKeysOf } from '../../support/signing-keys.ts'

type Made = Readonly<{ documents: Documents; free: readonly FreeRoute[]; document: OpenApi }>

/**
 * Most sources of the free routes are missing here. This is possible because the tests read only the
 * descriptions of these routes.
 */
export async function documentsOf(routes: readonly Route[] = paidRoutes, publicBaseUrl = 'https://data.example') {
  const { cuts } = createFixedQueries()
  const unasked = { routes, listed: () => [], signingKeys: signingKeysOf(), nowMs: () => 0 } as const
  const sources = { ...unasked, sources: apiChains, cuts } as unknown as Parameters<typeof createFreeRoutes>[0]
  const free = createFreeRoutes(sources)
  const subjects = { find: async () => null }
  const documents = createDocuments({ routes, free, stream: apiStream.route, subjects, publicBaseUrl })
  const [first] = documents.free
  const document = (await first?.answer({})) as OpenApi
  return { documents, free: [...free, ...documents.free], document } satisfies Made
}
