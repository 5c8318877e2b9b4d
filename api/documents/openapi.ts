/** Generates the OpenAPI 3.1 document from the same values that serve and validate requests. */
import type { FreeRoute } from '../free-route.ts'
import type { Route } from '../route.ts'
import { createResponses, headers, securitySchemes, sharedParameters } from './components.ts'
import { createSharedSchemas, type JsonSchema } from './json-schema.ts'
import { type DescribedStream, freeOperations, paidOperation, pathOf, streamOperations } from './operations.ts'

export type Described = Readonly<{
  routes: readonly Route[]
  free: readonly FreeRoute[]
  /** Undefined if the service has no stream. */
  stream?: DescribedStream | undefined
  publicBaseUrl: string
}>

export type Operation = JsonSchema & Readonly<{ operationId: string; summary: string; responses: JsonSchema }>

export type OpenApi = Readonly<{
  openapi: '3.1.0'
  info: JsonSchema
  paths: Readonly<Record<string, Readonly<{ get: Operation }>>>
  components: Readonly<{ schemas: Readonly<Record<string, JsonSchema>> }> & JsonSchema
}>

const description = `Token launches on two chains as they happen: sudden buying, how such signals ended, who can pull the liquidity, minute-by-minute pool flow, graduations, wallets worth copying. Data only, no trading advice.

Each paid call is paid with x402 in a USD stablecoin: no keys, no accounts. Ask without a payment and the 402 says what to sign; an x402 client does this automatically. A failed call (4xx, 5xx) is never charged, and a repeated payment gets its answer again.

Every route is GET. Times are epoch milliseconds, shares are 0-1, returns are fractions. \`x-availability\` says when the value of a field is known: \`signal\` when the burst fires, \`signal+seconds\` 5 to 60 s later (null until then), \`signal+30m\` with the outcome and never an input, \`now\` state as of generatedAt. Fields may be added; none is renamed or removed in version 1.

Every paid route about data takes \`asOf\`: it answers with what was known at that instant, at the same price. With \`asOf\` at the generatedAt of a sold answer, it repeats the same bytes. \`x-as-of\` says how far back a route can be asked; other instants are refused with the range. Freshness is not checked. If the subject was not tracked at the instant, the call gets 404 after the signature, and is not charged.

With the request header \`Accept-Signature: sig1=()\`, a paid answer is signed (RFC 9421): anyone can verify later that this service gave it. [Signed answers](/docs/signed-answers) says how.

The same is sold over MCP (Streamable HTTP) at /mcp, at the same prices.`

export async function createOpenApi({ routes, free, stream, publicBaseUrl }: Described): Promise<OpenApi> {
  const schemas = createSharedSchemas()
  const parts = { schemas, responses: createResponses(schemas) }
  const paid = routes.map(async (route) => [[pathOf(route), await paidOperation(route, parts)] as const])
  const unpaid = free.map((route) => freeOperations(route, parts))
  const pushed = stream ? streamOperations(stream, parts) : []
  const operations = [...(await Promise.all([...paid, ...unpaid])).flat(), ...pushed]
  return {
    openapi: '3.1.0',
    info: { title: 'Launch Data Service', version: '1.2.0', summary: 'Launch data, sold per call.', description },
    servers: [{ url: publicBaseUrl }],
    externalDocs: { description: 'The same document as a page.', url: `${publicBaseUrl.replace(/\/+$/, '')}/docs` },
    tags: [
      { name: 'paid', description: 'Paid per call with x402.' },
      { name: 'free', description: 'Free, within a limit per address.' },
    ],
    paths: Object.fromEntries(operations.map(([path, get]) => [path, { get: get as Operation }])),
    components: {
      ...{ schemas: schemas.all(), responses: parts.responses.all() },
      ...{ parameters: sharedParameters, headers, securitySchemes },
    },
  } as OpenApi
}
