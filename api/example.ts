/**
 * Examples for the documents. A route builds its example from the example rows of its chain, so an example always has
 * the shape of a real answer.
 */
import type { Cut, StageCut } from '../projections/cuts.ts'
import type { Stage } from '../schemas/stage.ts'
import type { AnsweredRoute, Example } from './route.ts'
import type { Params, ParamValues } from './sale/params.ts'

export const exampleAtMs = 1_790_000_002_000

/**
 * The state of one chain's data at the time of the example rows. `coinUsd`: the USD price of the chain's
 * coin.
 */
export const exampleStageCut = (coinUsd: number): StageCut => ({
  ...{ atMs: exampleAtMs, blockNumber: 26_113_402, blockAtMs: exampleAtMs - 2000, source: 'chain' },
  coinPrice: { usd: coinUsd, atMs: exampleAtMs - 8000 },
})

/**
 * Returns the state of several stages at the time of the example rows. The keys of `stages` are the names of
 * the stages.
 */
export const exampleCutOf = (stages: Readonly<Record<string, StageCut>>): Cut => ({ atMs: exampleAtMs, stages })

/** The subjects of the example queries: any subject may have data. */
export const exampleTracked = { mayHold: async () => true, example: async () => null } as const

/**
 * Returns the values of an example request. A path parameter has its `sample`, which names an example row. Other parameters have their
 * default.
 */
export const exampleValuesOf = (params: Params): Example['values'] =>
  Object.fromEntries(
    Object.entries(params).flatMap(([name, param]) => {
      const value = 'sample' in param ? `${param.sample}` : param.default
      return value === null ? [] : [[name, value]]
    }),
  )

/**
 * Returns `route` with an example for the API documents. The example is the answer of `over`: the same route,
 * created with queries that return example rows.
 */
export const withExample = (
  route: AnsweredRoute,
  over: AnsweredRoute,
  { stage, cut }: Readonly<{ stage: Stage; cut: StageCut }>,
): AnsweredRoute => withExampleAt(route, over, exampleCutOf({ [stage.name]: cut }))

/** Like `withExample`, for a route that depends on several chains. */
export function withExampleAt(route: AnsweredRoute, over: AnsweredRoute, cut: Cut): AnsweredRoute {
  const values = exampleValuesOf(route.params)
  const example = async () => ({ values, body: await over.answer(values as ParamValues<Params>, cut) })
  return { ...route, example }
}
