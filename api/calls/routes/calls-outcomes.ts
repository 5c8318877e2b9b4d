import { z } from 'zod'
import { hourMs } from '../../../schemas/units.ts'
import { described } from '../../resource.ts'
import { type AnsweredRoute, route } from '../../route.ts'
import type { NumberParam } from '../../sale/params.ts'
import { refuse } from '../../sale/refusals.ts'
import { count } from '../../values.ts'
import { callsSources, hourNeed, noHourYet, timeOf } from '../dependencies.ts'
import { callsHistory } from '../history.ts'
import { chainNameOf, chainOf, chainParam, limitParam } from '../params.ts'
import { callOutcome, callOutcomeMethodOf, callOutcomeMethodSchema } from '../resources/call-outcome.ts'
import { hourlyCallsEnvelope } from '../resources/envelope.ts'
import { type CallsWorld, presentationOf } from '../world.ts'

const hoursParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 48,
  default: 48,
  description: 'how far to look back for first posts, before the rebuild',
}

const callsOutcomesAnswer = hourlyCallsEnvelope.schema.extend({
  hours: described('now', count, 'Hours that first posts are looked back for.'),
  method: described('now', callOutcomeMethodSchema, 'How the rows are made, in words.'),
  calls: described('now', z.array(callOutcome.schema), 'Newest first.'),
})

export const createCallsOutcomes = (world: CallsWorld): AnsweredRoute =>
  route({
    pattern: '/v1/sol/calls/outcomes',
    tool: 'sol_calls_outcomes',
    description: 'What became of the tokens that followed chats named in the last 48 h; rebuilt hourly.',
    priceUsdMicros: 50_000,
    dependsOn: callsSources(world, 3 * hourMs),
    needs: [hourNeed(world)],
    history: callsHistory,
    toldUntil: world.views.rebuiltAt,
    params: { hours: hoursParam, chain: chainParam(world), limit: limitParam(2000, 500, 'calls') },
    schema: callsOutcomesAnswer,
    async answer({ hours, chain, limit }, cut) {
      const found = await world.views.outcomes(cut, { hours, limit, chain: chainOf(world, chain) })
      if (found === null) return refuse('warming_up', noHourYet)
      const presentation = presentationOf(world, cut)
      const { rebuiltAtMs, calls } = found
      return {
        ...hourlyCallsEnvelope.present({ ...timeOf(cut), rebuiltAtMs, chain: chainNameOf(chain) }),
        ...{ hours, method: callOutcomeMethodOf(world.chains) },
        calls: calls.map((row) => callOutcome.present(row, presentation)),
      }
    },
  })
