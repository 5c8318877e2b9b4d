/** Counts the requests and their answers: whether the document lists each answer, and what valid requests got. */
import type { ValidateFunction } from 'ajv/dist/2020.js'
import type { JsonSchema } from '../../../api/documents/json-schema.ts'
import type { OpenApi, Operation } from '../../../api/documents/openapi.ts'
import { createCompiler } from '../../support/answer-check.ts'

export type Asked = Readonly<{ method: string; url: string; status: number }>

export type Tally = Readonly<{
  note(asked: Asked): void
  count(): number
  /**
   * The number of requests that are valid by the document, and the number of these requests that got 200 or
   * 404.
   */
  valid(): Readonly<{ asked: number; reached: number }>
  /** The failures of routes, and the statuses of GET requests that the document does not list. */
  faults(): readonly string[]
  /** One line per operation with the number of each status. */
  lines(): readonly string[]
}>

type Parameter = Readonly<{ $ref?: string; name: string; in: string; required: boolean; schema: JsonSchema }>
type Known = Readonly<{ path: string; operation: Operation; parameters: readonly Parameter[]; pattern: RegExp }>

/** 200 is an answer with data. 404 is an answer about an id without data. */
const reached: ReadonlySet<number> = new Set([200, 404])

const isListed = (found: Known | undefined, method: string, status: number): boolean =>
  !found || method !== 'GET' || String(status) in found.operation.responses

export function createTally(document: OpenApi): Tally {
  const compile = createCompiler(document)
  const known = knownOf(document)
  const histogram = new Map<string, Map<string, number>>()
  const faults = new Set<string>()
  const counts = { all: 0, asked: 0, reached: 0 }

  const isValid = ({ path, parameters, pattern }: Known, url: URL): boolean => {
    const groups = pattern.exec(url.pathname)?.groups ?? {}
    return parameters.every((parameter, index) => {
      // A shared parameter is a request header, which the fuzzer does not send.
      if (parameter.$ref !== undefined) return true
      const texts =
        parameter.in === 'path' ? [decode(groups[parameter.name] ?? '')] : url.searchParams.getAll(parameter.name)
      const validate = compile(`/paths/${path.replaceAll('/', '~1')}/get/parameters/${index}/schema`)
      return isGood(parameter, texts, validate)
    })
  }
  return {
    note({ method, url, status }) {
      counts.all += 1
      const parsed = new URL(url, 'http://service')
      const found = known.find(({ pattern }) => pattern.test(parsed.pathname))
      const name = method === 'GET' ? `GET ${found?.path ?? 'elsewhere'}` : 'other methods'
      const statuses = histogram.get(name) ?? new Map<string, number>()
      histogram.set(name, statuses)
      const isGood = found !== undefined && method === 'GET' && isValid(found, parsed)
      const label = `${status}${isGood ? '' : ' (not valid)'}`
      statuses.set(label, (statuses.get(label) ?? 0) + 1)
      if (status === 500 || !isListed(found, method, status)) faults.add(`${name} ${status}: ${url.slice(0, 200)}`)
      if (!isGood) return
      counts.asked += 1
      if (reached.has(status)) counts.reached += 1
    },
    count: () => counts.all,
    valid: () => ({ asked: counts.asked, reached: counts.reached }),
    faults: () => [...faults],
    lines: () =>
      [...histogram].sort().map(([name, statuses]) => {
        const told = [...statuses].sort().map(([status, count]) => `${status}: ${count}`)
        return `${name.padEnd(44)} ${told.join(', ')}`
      }),
  }
}

const knownOf = (document: OpenApi): readonly Known[] =>
  Object.entries(document.paths)
    .map(([path, { get }]) => ({
      ...{ path, operation: get, parameters: (get.parameters ?? []) as readonly Parameter[] },
      pattern: new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
    }))
    // Paths without parameters come first, because a pattern with a parameter also matches them.
    .sort((left, right) => Number(left.path.includes('{')) - Number(right.path.includes('{')))

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * True if the parameter is given one time and matches its schema. Also true if the parameter is optional and
 * missing.
 */
function isGood({ required, schema }: Parameter, texts: readonly string[], validate: ValidateFunction): boolean {
  const [text] = texts
  if (text === undefined) return !required
  if (texts.length > 1) return false
  if (schema.type !== 'number') return validate(text)
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) && validate(Number(text))
}
