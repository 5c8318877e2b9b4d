import { z } from 'zod'
import { leaderRules } from '../../../schemas/chain-b/copy-rules.ts'
import { hourMs } from '../../../schemas/units.ts'
import { described } from '../../resource.ts'
import { type AnsweredRoute, route } from '../../route.ts'
import type { NumberParam } from '../../sale/params.ts'
import { refuse } from '../../sale/refusals.ts'
import { leadersHistory } from '../history.ts'
import { leaderListNeed, listToldUntil, noListYet } from '../leader-list-need.ts'
import { leadersMethod, leadersMethodSchema } from '../resources/copy-method.ts'
import { hourlyEnvelope } from '../resources/hourly-envelope.ts'
import { walletLeader } from '../resources/wallet-leader.ts'
import { chainBCut, chainBSource } from '../source.ts'
import type { ChainBWorld } from '../world.ts'

const limitParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: leaderRules.listMax,
  default: leaderRules.listMax,
  description: 'most wallets to list',
}

const leadersAnswer = hourlyEnvelope.schema.extend({
  method: leadersMethodSchema,
  wallets: described('now', z.array(walletLeader.schema).max(leaderRules.listMax), 'The best first.'),
})

export const createLeaders = ({ views, presentation }: ChainBWorld): AnsweredRoute =>
  route({
    pattern: '/v1/sol/wallets/leaders',
    tool: 'sol_wallet_leaders',
    description: 'The wallets whose copies did best, by the replays of their big buys; rebuilt hourly.',
    priceUsdMicros: 50_000,
    dependsOn: [{ ...chainBSource, maxAgeMs: 3 * hourMs }],
    needs: [leaderListNeed(views)],
    history: leadersHistory,
    toldUntil: listToldUntil(views),
    params: { limit: limitParam },
    schema: leadersAnswer,
    async answer({ limit }, cut) {
      const at = chainBCut(cut)
      const list = await views.leaderList(at)
      if (list === null) return refuse('warming_up', noListYet)
      const wallets = list.leaders
        .slice(0, limit)
        .map((row, index) => walletLeader.present({ ...row, rank: index + 1 }))
      const envelope = hourlyEnvelope.present({ ...at, rebuiltAtMs: list.rebuiltAtMs }, presentation)
      return { ...envelope, method: leadersMethod(list), wallets }
    },
  })
