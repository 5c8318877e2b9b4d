/**
 * The parameters of a route as data. Requests are parsed with this data, and documents are generated from it.
 * Values are never clamped or guessed. A number must be a plain decimal within its bounds, and may occur only
 * one time. Otherwise the request is refused.
 */
import { z } from 'zod'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import { type Refusal, type RefusalCode, refuse } from './refusals.ts'

/** A whole number. A fraction is rounded down after the bounds were checked. */
export type NumberParam = Readonly<{
  in: 'query'
  type: 'number'
  min: number
  max: number
  default: number
  description: string
}>

export type ChoiceParam<Value extends string = string> = Readonly<{
  in: 'query'
  type: 'string'
  values: readonly Value[]
  default: Value
  description: string
}>

/** An instant in epoch milliseconds, or in ISO 8601 with its zone. A date alone means the beginning of the day in UTC. */
export type InstantParam = Readonly<{
  in: 'query'
  type: 'instant'
  /** The default is the instant `agoMs` milliseconds before the answer. The parsed value is then negative: `-agoMs`. */
  agoMs: DurationMs
  /** The value in the example of the route. */
  sample: number
  description: string
}>

/** An optional choice. If it is absent, the value is the empty text. */
export type FilterParam<Value extends string = string> = Omit<ChoiceParam<Value>, 'default'> &
  Readonly<{ default: null }>

export type PathParam = Readonly<{
  in: 'path'
  type: 'string'
  /**
   * `lower`: case does not matter, and the value is converted to lower case. `asGiven`: case matters. `hexLower`:
   * `lower` for identifiers that begin with `0x`, and `asGiven` for all others.
   */
  letterCase: 'lower' | 'asGiven' | 'hexLower'
  pattern: RegExp
  /** Checks what the pattern cannot express. */
  isValid?: (text: string) => boolean
  /** The form of the value in words. */
  example: string
  /** A value that occurs in the example rows, for the example of the route. */
  sample: string
  description: string
}>

/**
 * The parameter `asOf`: the time for which the answer is computed, in epoch milliseconds. If it is absent,
 * there is no value.
 */
export type AsOfParam = Readonly<{ in: 'query'; type: 'epochMs'; default: null; description: string }>

export const asOfParam: AsOfParam = {
  in: 'query',
  type: 'epochMs',
  default: null,
  description: 'answer with what was known at this instant, epoch ms; default: the newest',
}

/**
 * The position in a list after which the answer continues, as an earlier answer gave it. If it is absent, the
 * value is the empty text.
 */
type CursorParam = Readonly<{ in: 'query'; type: 'cursor'; default: null; description: string }>

export type Param = NumberParam | ChoiceParam | FilterParam | InstantParam | AsOfParam | CursorParam | PathParam
export type Params = Readonly<Record<string, Param>>

export type ParamValues<P extends Params> = {
  readonly [Name in keyof P]: P[Name] extends NumberParam | InstantParam | AsOfParam
    ? number
    : P[Name] extends ChoiceParam<infer Value>
      ? Value
      : P[Name] extends FilterParam<infer Value>
        ? Value | ''
        : string
}

/** The parameters as Koa provides them. A parameter that is given more than once in the query is an array. */
export type RawParams = Readonly<Record<string, string | readonly string[] | undefined>>

type Parsed<P extends Params> = Readonly<{ values: ParamValues<P> }> | Readonly<{ refusal: Refusal }>

/** Parses the declared parameters in their order and fills in defaults. Unknown parameters are ignored. */
export function parseParams<P extends Params>(
  params: P,
  raw: Readonly<{ query: RawParams; path: RawParams }>,
): Parsed<P> {
  const values: Record<string, number | string> = {}
  for (const [name, param] of Object.entries(params)) {
    const text = raw[param.in][name]
    if (text === undefined && param.in === 'query' && param.type === 'epochMs') continue
    const parsed = parseParam(name, param, text)
    if (typeof parsed === 'object') return { refusal: refuse(parsed.code, parsed.error) }
    values[name] = parsed
  }
  return { values: values as ParamValues<P> }
}

type Wrong = Readonly<{ code: RefusalCode; error: string }>

function parseParam(name: string, param: Param, text: string | readonly string[] | undefined): number | string | Wrong {
  if (param.in === 'path') return parsePath(name, param, text)
  if (text === undefined) return param.type === 'instant' ? -param.agoMs : (param.default ?? '')
  if (typeof text !== 'string')
    return { code: 'bad_param', error: `${name} was given more than one time. Give it one time` }
  if (param.type === 'instant') return parseInstant(name, text)
  if (param.type === 'epochMs') return parseEpochMs(name, text)
  if (param.type === 'cursor') return parseCursor(name, text)
  return param.type === 'number' ? parseNumber(name, param, text) : parseChoice(name, param, text)
}

function parsePath(name: string, param: PathParam, text: string | readonly string[] | undefined): string | Wrong {
  if (typeof text === 'string' && param.pattern.test(text) && (param.isValid?.(text) ?? true))
    return isCaseless(param, text) ? text.toLowerCase() : text
  return { code: 'bad_address', error: `${name} is not ${param.description}: it must be ${param.example}` }
}

const isCaseless = ({ letterCase }: PathParam, text: string): boolean =>
  letterCase === 'lower' || (letterCase === 'hexLower' && text.startsWith('0x'))

const wholeDecimal = /^(0|[1-9]\d{0,15})$/

const plainDecimal = /^-?(0|[1-9]\d*)(\.\d+)?$/

function parseNumber(name: string, param: NumberParam, text: string): number | Wrong {
  const value = plainDecimal.test(text) ? Number(text) : Number.NaN
  if (value >= param.min && value <= param.max) return Math.floor(value)
  return { code: 'bad_param', error: `${name} must be a plain decimal number from ${param.min} to ${param.max}` }
}

/** The form of an instant for the documents. `parseInstant` decides which values are valid. */
export const instantPattern = /^(\d{1,16}|\d{4}-\d\d-\d\d(T\S+)?)$/

/** The last instant that a `Date` can represent. */
const instantMax = 8_640_000_000_000_000

const isoInstant = z.union([z.iso.datetime({ offset: true }), z.iso.date()])

function parseInstant(name: string, text: string): number | Wrong {
  const value = wholeDecimal.test(text) ? Number(text) : isoAtMs(text)
  if (value >= 0 && value <= instantMax) return value
  return {
    code: 'bad_param',
    error: `${name} must be an instant from 1970 on: epoch milliseconds, or ISO 8601 with a zone, such as 2026-09-21T14:00:00Z`,
  }
}

function parseEpochMs(name: string, text: string): EpochMs | Wrong {
  const value = wholeDecimal.test(text) ? Number(text) : Number.NaN
  if (value <= instantMax) return value
  return { code: 'bad_param', error: `${name} must be epoch milliseconds, a whole number` }
}

/**
 * The form of a cursor: an instant, a dash and a count. The count is the number of list entries of this
 * instant up to the cursor.
 */
export const cursorPattern = /^(0|[1-9]\d{0,15})-(0|[1-9]\d{0,5})$/

function parseCursor(name: string, text: string): string | Wrong {
  if (cursorPattern.test(text)) return text
  return {
    code: 'bad_param',
    error: `${name} must be the value of \`next\` in an earlier answer of this route, such as 1790000000000-0`,
  }
}

/** Returns NaN if the text is not an ISO instant. */
const isoAtMs = (text: string): EpochMs => (isoInstant.safeParse(text).success ? Date.parse(text) : Number.NaN)

function parseChoice(name: string, param: ChoiceParam | FilterParam, text: string): string | Wrong {
  if (param.values.includes(text)) return text
  return { code: 'bad_param', error: `${name} must be one of ${param.values.join(', ')}` }
}
