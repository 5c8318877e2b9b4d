import { z } from 'zod'
import { minuteMs } from '../../../schemas/units.ts'
import { described } from '../../resource.ts'
import { route } from '../../route.ts'
import type { NumberParam } from '../../sale/params.ts'
import { count } from '../../values.ts'
import { type CallsDependencies, presentationOf } from '../dependencies.ts'
import { callsHistory } from '../history.ts'
import { chainNameOf, chainOf, chainParam } from '../params.ts'
import { callsSources, timeOf } from '../required-sources.ts'
import { callsEnvelope } from '../resources/envelope.ts'
import { liveCall, liveCallMethodOf, liveCallMethodSchema } from '../resources/live-call.ts'

const minutesParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 120,
  default: 30,
  description: 'how far to look back for first posts',
}

const note =
  'Only posts of followed chats are known; this is a count of what was said, not of what to buy. Private chats appear in counts only.'

const callsLiveAnswer = callsEnvelope.schema.extend({
  minutes: described('now', count, 'Minutes that first posts are looked back for.'),
  method: described('now', liveCallMethodSchema, 'How the rows are made, in words.'),
  note: described('now', z.string(), 'What the list is not.'),
  calls: described('now', z.array(liveCall.schema), 'Newest first.'),
})

export const createCallsLive = (dependencies: CallsDependencies) =>
  route({
    pattern: '/v1/sol/calls/live',
    tool: 'sol_calls_live',
    description: 'Tokens that followed chats named in the last minutes, with the price at the first post and since.',
    priceUsdMicros: 20_000,
    dependsOn: callsSources(dependencies, 120_000, ({ wireName }, { chain }) => chain === '' || chain === wireName),
    needs: [],
    history: { ...callsHistory, windowMs: minutesParam.max * minuteMs },
    params: { minutes: minutesParam, chain: chainParam(dependencies) },
    schema: callsLiveAnswer,
    async answer({ minutes, chain }, cut) {
      const rows = await dependencies.queries.live(cut, { minutes, chain: chainOf(dependencies, chain) })
      const presentation = presentationOf(dependencies, cut)
      return {
        ...callsEnvelope.present({ ...timeOf(cut), chain: chainNameOf(chain) }),
        ...{ minutes, method: liveCallMethodOf(dependencies.chains), note },
        calls: rows.map((row) => liveCall.present(row, presentation)),
      }
    },
  })
