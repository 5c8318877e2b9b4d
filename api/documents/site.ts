/** The pages of the documentation: one for each route, their Markdown twins, `llms.txt` and the search. */
import { errorCodes, explained, statusOfError } from '../sale/error-codes.ts'
import { type Block, htmlOf, markdownOf } from './blocks.ts'
import { copyScript, copyState, copyStyle } from './copy.ts'
import { introductionOf, routeListOf } from './docs-page.ts'
import { fieldsOfRoutes } from './fields.ts'
import { type Html, html } from './html.ts'
import type { Described, OpenApi } from './openapi.ts'
import { type Page, renderPage } from './page.ts'
import { blocksOf, objectBlocks, payBlocksOf, type Shown, shownRoutes } from './route-blocks.ts'
import { type Findable, find, foundList, searchForm } from './search.ts'
import { createServerJsonPage } from './server-json.ts'
import { createSignedAnswersPages, signedAnswersPath } from './signed-answers.ts'

export type SiteSources = Readonly<{
  described: () => Described
  document: () => Promise<OpenApi>
  publicBaseUrl: string
}>

/** Answers the search for the words of a query. */
export type SearchPage = Readonly<{ pattern: `/${string}`; body(query: string): Promise<string> }>

/** The routes must be known when this function is called, because each has a page. */
export function createRoutePages({ described, document, publicBaseUrl }: SiteSources): readonly Page[] {
  const blocksOfPage = async (route: Shown): Promise<readonly Block[]> => {
    const known = await document()
    return [
      { text: route.text },
      ...blocksOf(route, { document: known, fields: fieldsOfRoutes(known), level: 2 }),
      ...payBlocksOf(route, publicBaseUrl),
    ]
  }
  const routePages = shownRoutes(described()).flatMap((route): readonly Page[] => [
    {
      patterns: [`/docs/${route.name}`],
      own: ownOf(route),
      body: async () =>
        renderPage(`GET ${route.path}: Launch Data Service`, bodyOf(route, await blocksOfPage(route)), {
          ...ownOf(route),
          description: route.text,
        }),
    },
    {
      patterns: [`/docs/${route.name}.md`],
      type: 'markdown',
      body: async () =>
        `# GET ${route.path} (${route.price})\n\n${markdownOf(await blocksOfPage(route), publicBaseUrl)}`,
    },
  ])
  const objects: Page = {
    patterns: ['/docs/objects.md'],
    type: 'markdown',
    body: async () => `# Objects\n\n${markdownOf(objectBlocks(fieldsOfRoutes(await document())), publicBaseUrl)}`,
  }
  const texts = [objects, errorsTwin(publicBaseUrl), llmsText({ described, document, publicBaseUrl })]
  return [...routePages, ...texts, createServerJsonPage(publicBaseUrl), ...createSignedAnswersPages(publicBaseUrl)]
}

/** A page with code to pay has the buttons that copy it. */
const ownOf = ({ examplePath }: Shown): NonNullable<Page['own']> =>
  examplePath === null ? {} : { style: copyStyle, script: copyScript }

const bodyOf = ({ name, path, price, examplePath }: Shown, blocks: readonly Block[]): Html =>
  html`<p><a href="/docs">Launch Data Service</a></p>${searchForm('')}
<h1>GET ${path} <span class="soft price">${price}</span></h1>
${examplePath === null ? [] : html`<p><a href="#pay">How to pay</a></p>\n`}${htmlOf(blocks)}${examplePath === null ? [] : copyState}<p>This page as <a href="/docs/${name}.md">Markdown</a></p>`

const errorsTwin = (publicBaseUrl: string): Page => ({
  patterns: ['/docs/errors.md'],
  type: 'markdown',
  body: async () =>
    `# Errors\n\n${markdownOf(
      [
        { text: 'Bodies are `{error, code, docs}`. None is ever charged.' },
        {
          heads: ['Code', 'Status', 'Meaning', 'What to do'],
          rows: errorCodes.map((code) => [
            `\`${code}\``,
            String(statusOfError(code)),
            explained[code].meaning,
            explained[code].toDo,
          ]),
        },
      ],
      publicBaseUrl,
    )}`,
})

/** `llms.txt`: the documentation for language models, as links to Markdown. */
const llmsText = ({ described, document, publicBaseUrl }: SiteSources): Page => ({
  patterns: ['/llms.txt'],
  type: 'text',
  async body() {
    const shown = shownRoutes(described())
    const listOf = (routes: readonly Shown[]) =>
      routes
        .map(({ name, path, price, text }) => `- [GET ${path}](${publicBaseUrl}/docs/${name}.md): ${price}. ${text}`)
        .join('\n')
    const [about = { text: '' }, ...more] = introductionOf(await document())
    const classes = routeListOf([], () => '').slice(2)
    return `# Launch Data Service

> ${'text' in about ? about.text : ''}

${markdownOf([...more, ...classes], publicBaseUrl)}
## Paid routes

${listOf(shown.filter(({ price }) => price !== 'free'))}

## Free routes

${listOf(shown.filter(({ price }) => price === 'free'))}

## Reference

- [Objects](${publicBaseUrl}/docs/objects.md): the fields of objects that several routes use.
- [Errors](${publicBaseUrl}/docs/errors.md): every error code, and what to do.
- [Signed answers](${publicBaseUrl}${signedAnswersPath}.md): how to get an answer that others can verify.
- [OpenAPI 3.1](${publicBaseUrl}/v1/openapi.json): every route for programs.
- [Data dictionary](${publicBaseUrl}/v1/fields): every field, and when it is known.
`
  },
})

export function createSearchPage({ described, document }: SiteSources): SearchPage {
  let known: Promise<readonly Findable[]> | null = null
  return {
    pattern: '/docs/search',
    async body(query) {
      known ??= document().then((one) => findablesOf(shownRoutes(described()), one))
      const found = find(await known, query)
      return renderPage(
        'Search: Launch Data Service',
        html`<p><a href="/docs">Launch Data Service</a></p><h1>Search</h1>${searchForm(query)}${foundList(found, query.trim())}`,
      )
    },
  }
}

const findable = (entry: Omit<Findable, 'text'>, ...more: readonly string[]): Findable => ({
  ...entry,
  text: [entry.title, entry.summary, ...more].join(' ').toLowerCase(),
})

function findablesOf(shown: readonly Shown[], document: OpenApi): readonly Findable[] {
  const { byPath, resources } = fieldsOfRoutes(document)
  return [
    ...shown.map(({ name, path, price, text }) =>
      findable({ title: `GET ${path}`, address: `/docs/${name}`, summary: `${price}. ${text}` }, name),
    ),
    findable(
      { title: 'Signed answers', address: signedAnswersPath, summary: 'How to get an answer that others can verify.' },
      'signature accept-signature ed25519 rfc 9421 key proof',
    ),
    ...errorCodes.map((code) =>
      findable(
        { title: code, address: `/docs/errors/${code}`, summary: explained[code].meaning },
        explained[code].toDo,
      ),
    ),
    ...shown.flatMap(({ name, path }) =>
      (byPath.get(path) ?? []).map((field) =>
        findable({ title: `\`${field.name}\` of ${path}`, address: `/docs/${name}`, summary: field.description }),
      ),
    ),
    ...Object.entries(resources).flatMap(([name, fields]) =>
      fields.map((field) =>
        findable({ title: `\`${field.name}\` of ${name}`, address: `/docs#${name}`, summary: field.description }),
      ),
    ),
  ]
}
