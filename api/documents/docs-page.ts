/** `/docs`: a page about every route, rendered from the OpenAPI document. */
import { formatUsd } from '../payments/offers/format-usd.ts'
import { errorCodes, explained, statusOfError } from '../sale/error-codes.ts'
import type { FieldEntry } from './dictionary.ts'
import { availabilityClasses, fieldsOfRoutes } from './fields.ts'
import { type Html, html, prose } from './html.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Described, OpenApi, Operation } from './openapi.ts'
import { errorsOf, freeErrors, pathOf } from './operations.ts'
import { type Page, renderPage } from './page.ts'

export const createDocsPage = (described: () => Described, document: () => Promise<OpenApi>): Page => ({
  patterns: ['/docs', '/v1/docs'],
  html: async () => renderPage('Launch Data Service', docsBody(described(), await document())),
})

type Shown = Readonly<{ path: string; price: string; text: string; errors: readonly string[] }>

function shownRoutes({ routes, free, stream }: Described): readonly Shown[] {
  return [
    ...routes.map((route) => ({
      ...{ path: pathOf(route), price: `${formatUsd(route.priceUsdMicros)} USD`, text: route.description },
      errors: errorsOf(route),
    })),
    ...free.map(({ patterns: [path], description: text }) => ({ path, price: 'free', text, errors: freeErrors })),
    ...(stream
      ? [{ path: stream.patterns[0], price: 'with a pass', text: stream.description, errors: stream.refusals }]
      : []),
  ]
}

function docsBody(described: Described, document: OpenApi): Html {
  const shown = shownRoutes(described)
  const { byPath, events, resources } = fieldsOfRoutes(document)
  const sections = shown.map((route) => {
    const { get } = document.paths[route.path] as { get: Operation }
    return routeSection(route, { operation: get, fields: byPath.get(route.path) ?? [], events, resources })
  })
  return html`<h1>Launch Data Service</h1>
${String(document.info.description)
  .split('\n\n')
  .map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
<p>For programs: <a href="/v1/openapi.json">OpenAPI 3.1</a>, <a href="/v1/fields">the data dictionary</a>. Free: <a href="/v1/sample">a sample</a>.</p>
<h3>Routes</h3>
${table(
  ['Route', 'Price', 'What'],
  shown.map(({ path, price, text }) => [
    html`<a href="#${anchorOf(path)}">${path}</a>`,
    html`<span class="price">${price}</span>`,
    prose(text),
  ]),
)}
<h3>When a field is known</h3>
${table(
  ['Class', 'Meaning'],
  Object.entries(availabilityClasses).map(([name, meaning]) => [html`<code>${name}</code>`, html`${meaning}`]),
)}
${sections}
<h2 id="objects">Objects</h2>
${Object.entries(resources).map(
  ([name, fields]) => html`<h3 id="${anchorOf(name)}">${name}</h3>${fieldTable(fields, resources)}`,
)}
<h2 id="errors">Errors</h2>
<p>${prose('Bodies are `{error, code, docs}`. None is ever charged.')}</p>
${table(
  ['Code', 'Status', 'Meaning'],
  errorCodes.map((code) => [errorLink(code), html`${statusOfError(code)}`, prose(explained[code].meaning)]),
)}`
}

type Resources = Readonly<Record<string, readonly FieldEntry[]>>
type Events = ReturnType<typeof fieldsOfRoutes>['events']
type RouteDocs = Readonly<{
  operation: Operation
  fields: readonly FieldEntry[]
  events: Events
  resources: Resources
}>

function routeSection({ path, price, text, errors }: Shown, { operation, fields, events, resources }: RouteDocs): Html {
  const parameters = (operation.parameters ?? []) as readonly JsonSchema[]
  const example = exampleOf(operation)
  return html`<h2 id="${anchorOf(path)}">GET ${path} <span class="soft price">${price}</span></h2>
<p>${prose(text)}</p>
${operation.description === undefined ? [] : html`<p class="soft">${prose(String(operation.description))}</p>`}
${parameters.length === 0 ? [] : html`<h3>Parameters</h3>${parameterTable(parameters)}`}
${fields.length === 0 ? eventSections(events, resources) : html`<h3>Answer</h3>${fieldTable(fields, resources)}`}
${
  example === undefined
    ? []
    : html`<details><summary>An example</summary><pre><code>${JSON.stringify(example, null, 2)}</code></pre></details>`
}
<p>Errors: ${errors.map((code, index) => html`${index === 0 ? '' : ', '}${errorLink(code)}`)}</p>`
}

const eventSections = (events: Events, resources: Resources): readonly Html[] =>
  Object.entries(events).map(
    ([name, { description, fields }]) =>
      html`<h3>Event <code>${name}</code></h3><p>${prose(description)}</p>${fieldTable(fields, resources)}`,
  )

function exampleOf({ responses }: Operation): unknown {
  const { content } = responses[200] as Readonly<{ content: Readonly<Record<string, { example?: unknown }>> }>
  return content['application/json']?.example
}

function parameterTable(parameters: readonly JsonSchema[]): Html {
  return table(
    ['Name', 'Type', 'Default', 'What'],
    parameters.map(({ name, in: place, description, schema }) => {
      const { type, minimum, maximum, default: byDefault = '', enum: values, pattern } = schema as JsonSchema
      const bounds = minimum === undefined ? '' : ` ${minimum} to ${maximum}`
      const choice = Array.isArray(values) ? `: ${values.join(', ')}` : ''
      const written = pattern === undefined ? html`` : html`<br><code>${String(pattern)}</code>`
      return [
        html`<code>${String(name)}</code>`,
        html`${String(type)}${bounds}${choice}${written}`,
        html`${place === 'path' ? 'in the path' : String(byDefault)}`,
        prose(String(description)),
      ]
    }),
  )
}

function fieldTable(fields: readonly FieldEntry[], resources: Resources): Html {
  return table(
    ['Field', 'Type', 'Known', 'What'],
    fields.map((field) => [
      html`<code>${field.name}</code>`,
      html`${typeText(field, resources)}${field.nullable ? ' or null' : ''}${field.optional ? ', not always' : ''}${rangeText(field)}`,
      html`<span class="soft">${field.availability}</span>`,
      prose(field.description),
    ]),
  )
}

/** Links the name of a resource to its section. */
function typeText({ type }: FieldEntry, resources: Resources): Html {
  const name = type.split(' ').at(-1) ?? ''
  if (!(name in resources)) return html`${type}`
  return html`${type.slice(0, -name.length)}<a href="#${anchorOf(name)}">${name}</a>`
}

function rangeText({ minimum, exclusiveMinimum, maximum, values }: FieldEntry): string {
  if (values) return `: ${values.join(', ')}`
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`
  if (exclusiveMinimum !== undefined) return `, above ${exclusiveMinimum}`
  return minimum === undefined ? '' : `, at least ${minimum}`
}

const errorLink = (code: string): Html => html`<a href="/docs/errors/${code}"><code>${code}</code></a>`

const anchorOf = (text: string): string => text.replace(/[^a-zA-Z0-9]+/g, '-').replace(/^-|-$/g, '') || 'root'

const table = (heads: readonly string[], rows: readonly (readonly Html[])[]): Html =>
  html`<div class="wide"><table class="fields"><thead><tr>${heads.map((head) => html`<th>${head}</th>`)}</tr></thead><tbody>
${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody></table></div>`
