/**
 * Converts the arguments of a tool to a route's parameters. Unknown names are refused here. The route checks the values
 * and refuses with the same texts as over HTTP.
 */
import type { Param, Params, RawParams } from '../sale/params.ts'
import { type Refusal, refuse } from '../sale/refusals.ts'

type Raw = Readonly<{ query: RawParams; path: RawParams }>

/** Converts arguments to the form of an HTTP request. An unknown argument is refused, because it may be misspelt. */
export function rawParamsOf(params: Params, args: Readonly<Record<string, unknown>>): Raw | Refusal {
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(params, name))
  if (unknown !== undefined) return refuseUnknown(unknown, Object.keys(params))
  const raw = { query: {} as Record<string, string>, path: {} as Record<string, string> }
  for (const [name, param] of Object.entries(params))
    if (args[name] !== undefined) raw[param.in][name] = textOf(param, args[name])
  return raw
}

/**
 * Converts a value to text. A value of the wrong type becomes text that the parameter rejects. For example, the JSON
 * string `"60"` is refused where a number is expected.
 */
const textOf = (param: Param, value: unknown): string =>
  param.type !== 'number' && param.type !== 'epochMs' && typeof value === 'string'
    ? value
    : (JSON.stringify(value) ?? 'undefined')

function refuseUnknown(name: string, known: readonly string[]): Refusal {
  const takes = known.length === 0 ? 'It takes no arguments' : `Its arguments are ${known.join(', ')}`
  return refuse('bad_param', `this tool has no argument ${JSON.stringify(name.slice(0, 40))}. ${takes}`)
}
