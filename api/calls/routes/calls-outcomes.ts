import { z } from 'zod'
import { hourMs } from '../../../schemas/units.ts'
import { described } from '../../resource.ts'
import { route } from '../../route.ts'
import type { NumberParam } from '../../sale/params.ts'
import { refuse } from '../../sale/refusals.ts'
import { count } from '../../values.ts'
import { type CallsDependencies, presentationOf } from '../dependencies.ts'
import { callsHistory } from '../history.ts'
import { chainNameOf, chainOf, chainParam, limitParam } from '../params.ts'
import { callsSources, hourNeed, noHourYet, timeOf } from '../required-sources.ts'
import { callOutcome, callOutcomeMethodOf, callOutcomeMethodSchema } from '../resources/call-outcome.ts'
import { hourlyCallsEnvelope } from '../resources/envelope.ts'

const hoursParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 48,
  default: 48,
  description:
    'how far to look back for first posts, before the rebuild. Listed calls are at least an hour old, so 1 lists none',
}

const callsOutcomesAnswer = hourlyCallsEnvelope.schema.extend({
  hours: described('now', count, 'Hours that first posts are looked back for.'),
  method: described('now', callOutcomeMethodSchema, 'How the rows are made, in words.'),
  calls: described('now', z.array(callOutcome.schema), 'Newest first.'),
})

export const createCallsOutcomes = (dependencies: CallsDependencies) =>
  route({
    pattern: '/v1/sol/calls/outcomes',
    tool: 'sol_calls_outcomes',
    description: 'What became of the tokens that followed chats named in the last 48 h; rebuilt hourly.',
    priceUsdMicros: 50_000,
    dependsOn: callsSources(dependencies, 3 * hourMs),
    needs: [hourNeed(dependencies)],
    history: callsHistory,
    coveredUntil: dependencies.queries.rebuiltAt,
    params: { hours: hoursParam, chain: chainParam(dependencies), limit: limitParam(2000, 500, 'calls') },
    schema: callsOutcomesAnswer,
    async answer({ hours, chain, limit }, cut) {
      const found = await dependencies.queries.outcomes(cut, { hours, limit, chain: chainOf(dependencies, chain) })
      if (found === null) return refuse('warming_up', noHourYet)
      const presentation = presentationOf(dependencies, cut)
      const { rebuiltAtMs, calls } = found
      return {
        ...hourlyCallsEnvelope.present({ ...timeOf(cut), rebuiltAtMs, chain: chainNameOf(chain) }),
        ...{ hours, method: callOutcomeMethodOf(dependencies.chains) },
        calls: calls.map((row) => callOutcome.present(row, presentation)),
      }
    },
  })
