/** `/docs`: a page about every route, rendered from the OpenAPI document. */
import { errorCodes, explained, statusOfError } from '../sale/error-codes.ts'
import { type Block, htmlOf } from './blocks.ts'
import { availabilityClasses, fieldsOfRoutes } from './fields.ts'
import { type Html, html } from './html.ts'
import type { Described, OpenApi } from './openapi.ts'
import { type Page, renderPage } from './page.ts'
import { anchorOf, blocksOf, errorLink, objectBlocks, type Shown, shownRoutes } from './route-blocks.ts'
import { searchForm } from './search.ts'
import { signedAnswersPath } from './signed-answers.ts'

export const createDocsPage = (described: () => Described, document: () => Promise<OpenApi>): Page => ({
  patterns: ['/docs', '/v1/docs'],
  body: async () =>
    renderPage('Launch Data Service: documentation', docsBody(shownRoutes(described()), await document())),
})

/** Returns the routes with their prices, and the meaning of the classes of fields. */
export const routeListOf = (shown: readonly Shown[], linkOf: (route: Shown) => string): readonly Block[] => [
  { heading: 'Routes', level: 2 },
  {
    heads: ['Route', 'Price', 'What'],
    rows: shown.map((route) => [`[${route.path}](${linkOf(route)})`, route.price, route.text]),
  },
  { heading: 'When a field is known', level: 2 },
  {
    heads: ['Class', 'Meaning'],
    rows: Object.entries(availabilityClasses).map(([name, meaning]) => [`\`${name}\``, meaning]),
  },
]

export const introductionOf = ({ info }: OpenApi): readonly Block[] =>
  String(info.description)
    .split('\n\n')
    .map((text) => ({ text }))

function docsBody(shown: readonly Shown[], document: OpenApi): Html {
  const fields = fieldsOfRoutes(document)
  const sections = shown.flatMap((route): readonly Block[] => [
    { heading: `GET ${route.path} (${route.price})`, level: 2, id: anchorOf(route.path) },
    { text: `${route.text} [On a page of its own](/docs/${route.name})` },
    ...blocksOf(route, { document, fields, level: 3 }),
  ])
  return html`<h1>Launch Data Service</h1>
${searchForm('')}
${htmlOf(introductionOf(document))}
<p>For programs: <a href="/v1/openapi.json">OpenAPI 3.1</a>, <a href="/v1/fields">the data dictionary</a>, <a href="/llms.txt">llms.txt</a>, <a href="${signedAnswersPath}">signed answers</a>. Free: <a href="/v1/sample">a sample</a>. <a href="/">Front page</a>.</p>
${htmlOf(routeListOf(shown, ({ path }) => `#${anchorOf(path)}`))}
${htmlOf(sections)}
${htmlOf([
  { heading: 'Objects', level: 2, id: 'objects' },
  ...objectBlocks(fields),
  { heading: 'Errors', level: 2, id: 'errors' },
  { text: 'Bodies are `{error, code, docs}`. None is ever charged.' },
  {
    heads: ['Code', 'Status', 'Meaning'],
    rows: errorCodes.map((code) => [errorLink(code), String(statusOfError(code)), explained[code].meaning]),
  },
])}`
}
