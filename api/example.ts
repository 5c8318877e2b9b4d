/**
 * What a route answers, as an example for documents: its own answer over a few rows given by its chain, so that no example
 * can say what the service would not.
 */
import type { Cut, StageCut } from '../projections/cuts.ts'
import type { Stage } from '../schemas/stage.ts'
import type { AnsweredRoute, Example } from './route.ts'
import type { Params, ParamValues } from './sale/params.ts'

export const exampleAtMs = 1_790_000_002_000

/** The instant of the example rows of every chain. */
export const exampleStageCut = (coinUsd: number): StageCut => ({
  ...{ atMs: exampleAtMs, blockNumber: 26_113_402, blockAtMs: exampleAtMs - 2000, source: 'chain' },
  coinPrice: { usd: coinUsd, atMs: exampleAtMs - 8000 },
})

/** The same, of several stages by name. */
export const exampleCutOf = (stages: Readonly<Record<string, StageCut>>): Cut => ({ atMs: exampleAtMs, stages })

/** Every parameter at its default, where it has one, and in the path what the example rows are about. */
export const exampleValuesOf = (params: Params): Example['values'] =>
  Object.fromEntries(
    Object.entries(params).flatMap(([name, param]) => {
      const value = 'sample' in param ? `${param.sample}` : param.default
      return value === null ? [] : [[name, value]]
    }),
  )

/** The route, with the answer that the same route gives over example rows. */
export const withExample = (
  route: AnsweredRoute,
  over: AnsweredRoute,
  { stage, cut }: Readonly<{ stage: Stage; cut: StageCut }>,
): AnsweredRoute => withExampleAt(route, over, exampleCutOf({ [stage.name]: cut }))

/** The same, of a route over several stages. */
export function withExampleAt(route: AnsweredRoute, over: AnsweredRoute, cut: Cut): AnsweredRoute {
  const values = exampleValuesOf(route.params)
  const example = async () => ({ values, body: await over.answer(values as ParamValues<Params>, cut) })
  return { ...route, example }
}
