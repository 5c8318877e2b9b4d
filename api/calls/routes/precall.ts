import { chatsStage } from '../../../schemas/chats/stage.ts'
import { described } from '../../resource.ts'
import { route } from '../../route.ts'
import { refuse } from '../../sale/refusals.ts'
import { type CallsDependencies, namedChainOf } from '../dependencies.ts'
import { callsHistory } from '../history.ts'
import { tokenParam } from '../params.ts'
import { callsSources, timeOf } from '../required-sources.ts'
import { callsEnvelope } from '../resources/envelope.ts'
import { chg1h0Field, precallFields } from '../resources/precall.ts'

const precallAnswer = callsEnvelope.schema.extend({
  ...precallFields.schema.shape,
  chg1h0: described('signal', chg1h0Field.schema, chg1h0Field.description),
})

const notTracked = (token: string) =>
  refuse(
    'not_tracked',
    `no followed chat named token ${token} in the last 48 h. /v1/sol/calls/live lists tokens that chats named`,
  )

export const createPrecall = (dependencies: CallsDependencies) =>
  route({
    pattern: '/v1/rh/token/:addr/precall',
    tool: 'rh_token_precall',
    description: 'What happened to a token before followed chats named it: buys, buyers, the run-up, and warnings.',
    priceUsdMicros: 20_000,
    dependsOn: callsSources({ chains: dependencies.chains.filter(({ hasPrecalls }) => hasPrecalls) }, 180_000),
    needs: [],
    history: callsHistory,
    params: { addr: tokenParam },
    subject: { param: 'addr', stage: chatsStage, tracked: dependencies.queries.tracked.precalls, refusal: notTracked },
    schema: precallAnswer,
    async answer({ addr: token }, cut) {
      const row = await dependencies.queries.precall(cut, token)
      if (row === null) return notTracked(token)
      return {
        ...callsEnvelope.present({ ...timeOf(cut), chain: namedChainOf(dependencies, row.chain).wireName }),
        ...precallFields.present(row),
        ...(row.isTracked ? {} : { chg1h0: row.chg1h0 }),
      }
    },
  })
