/**
 * The documents of the service: OpenAPI, the data dictionary and the pages. They are generated from the
 * routes, one time, and are free of charge.
 */
import { z } from 'zod'
import { minuteMs } from '../../schemas/units.ts'
import type { FreeRoute } from '../free-route.ts'
import { described } from '../resource.ts'
import type { Route } from '../route.ts'
import { type ErrorCode, errorCodes, explained, statusOfError } from '../sale/error-codes.ts'
import type { ExampleSubjects } from '../sale/example-subjects.ts'
import { createDocsPage } from './docs-page.ts'
import { withExampleSubjects } from './example-subjects.ts'
import { createFieldsRoute } from './fields.ts'
import { html, prose } from './html.ts'
import { createOpenApi, type Described, type OpenApi } from './openapi.ts'
import type { DescribedStream } from './operations.ts'
import { type Page, renderPage } from './page.ts'
import { createRoutePages, createSearchPage, type SearchPage } from './site.ts'

export type Documents = Readonly<{ free: readonly FreeRoute[]; pages: readonly Page[]; search: SearchPage }>

type Sources = Readonly<{
  routes: readonly Route[]
  /** The free routes other than the documents. */
  free: readonly FreeRoute[]
  stream?: DescribedStream | undefined
  subjects: Pick<ExampleSubjects, 'find'>
  publicBaseUrl: string
}>

const openApiSchema = z.looseObject({
  openapi: described('now', z.literal('3.1.0'), 'Version of the format.'),
  info: described('now', z.looseObject({ title: z.string(), version: z.literal('1.2.0') }), 'Title and version.'),
  paths: described('now', z.record(z.string(), z.unknown()), 'Every route.'),
  components: described('now', z.record(z.string(), z.unknown()), 'What the routes share.'),
})

/** The documents are generated at the first request. Later, only the examples of path parameters change. */
export function createDocuments({ routes, free, stream, subjects, publicBaseUrl }: Sources): Documents {
  let known: Promise<OpenApi> | null = null
  const all = (): Described => ({ routes, free: [...free, ...own], stream, publicBaseUrl })
  const document = (): Promise<OpenApi> => {
    known ??= createOpenApi(all())
    return known
  }
  const own: readonly FreeRoute[] = [
    {
      patterns: ['/v1/openapi.json', '/openapi.json'],
      description: 'This description of all routes, as OpenAPI 3.1.',
      isFrozen: true,
      changesEveryMs: minuteMs,
      schema: openApiSchema,
      answer: async () => withExampleSubjects(await document(), routes, subjects),
    },
    createFieldsRoute(all, document),
  ]
  const site = { described: all, document, publicBaseUrl: publicBaseUrl.replace(/\/+$/, '') }
  return {
    free: own,
    pages: [createDocsPage(all, document), ...createErrorPages(), ...createRoutePages(site)],
    search: createSearchPage(site),
  }
}

/** Returns one page per error code. `docs` in the body of an error links to the page of its code. */
const createErrorPages = (): readonly Page[] =>
  errorCodes.map((code) => ({
    patterns: [`/docs/errors/${code}`],
    body: async () => errorPage(code),
  }))

function errorPage(code: ErrorCode): string {
  const { meaning, toDo } = explained[code]
  const body = html`<p><a href="/docs">Launch Data Service</a></p>
<h1><code>${code}</code> <span class="soft">HTTP ${statusOfError(code)}</span></h1>
<h2>What it means</h2><p>${prose(meaning)}</p>
<h2>Was it charged?</h2><p>No. A refused request is never charged.</p>
<h2>What to do</h2><p>${prose(toDo)}</p>
<h2>The body</h2><p>${prose('`error` says what is wrong with this request, `code` is for programs, `docs` led here.')}</p>
<p><a href="/docs#errors">All codes</a></p>`
  return renderPage(`${code}: Launch Data Service`, body)
}
