/** The arguments of a tool as a route's parameters: what the schema of the tool says is judged here, in the words of HTTP. */
import type { Param, Params, RawParams } from '../sale/params.ts'
import { type Refusal, refuse } from '../sale/refusals.ts'

type Raw = Readonly<{ query: RawParams; path: RawParams }>

/** As a request over HTTP would carry them. An argument that no parameter takes is refused: it may be a misspelt one. */
export function rawParamsOf(params: Params, args: Readonly<Record<string, unknown>>): Raw | Refusal {
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(params, name))
  if (unknown !== undefined) return refuseUnknown(unknown, Object.keys(params))
  const raw = { query: {} as Record<string, string>, path: {} as Record<string, string> }
  for (const [name, param] of Object.entries(params))
    if (args[name] !== undefined) raw[param.in][name] = textOf(param, args[name])
  return raw
}

/** A value of another type than the parameter's becomes text that no parameter takes: `"60"` in quotes is no number. */
const textOf = (param: Param, value: unknown): string =>
  param.type !== 'number' && param.type !== 'epochMs' && typeof value === 'string'
    ? value
    : (JSON.stringify(value) ?? 'undefined')

function refuseUnknown(name: string, known: readonly string[]): Refusal {
  const takes = known.length === 0 ? 'this tool takes none' : `this tool takes ${known.join(', ')}`
  return refuse('bad_param', `there is no argument ${JSON.stringify(name.slice(0, 40))}; ${takes}`)
}
