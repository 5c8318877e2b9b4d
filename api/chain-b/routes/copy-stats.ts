import { z } from 'zod'
import { leaderRules, listedBuysMax } from '../../../schemas/chain-b/copy-rules.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { hourMs } from '../../../schemas/units.ts'
import { described } from '../../resource.ts'
import { type AnsweredRoute, route } from '../../route.ts'
import { refuse } from '../../sale/refusals.ts'
import { leadersHistory } from '../history.ts'
import { leaderListNeed, listToldUntil } from '../leader-list-need.ts'
import { walletParam } from '../params.ts'
import { copyBuy } from '../resources/copy-buy.ts'
import { copyStatsMethod, copyStatsMethodSchema } from '../resources/copy-method.ts'
import { copySummary } from '../resources/copy-summary.ts'
import { hourlyEnvelope } from '../resources/hourly-envelope.ts'
import { addressSchema } from '../resources/identifiers.ts'
import { chainBCut, chainBSource } from '../source.ts'
import type { ChainBWorld } from '../world.ts'

const copyStatsAnswer = hourlyEnvelope.schema.extend({
  wallet: described('now', addressSchema, 'Address.'),
  method: copyStatsMethodSchema,
  buys: described('now', z.array(copyBuy.schema).max(listedBuysMax), 'Newest first.'),
  summary: described('now', copySummary.schema, 'Of all buys of the window.'),
})

const notTracked = (wallet: string) =>
  refuse(
    'not_tracked',
    `wallet ${wallet} made no buy of 0.2 SOL or more in the 14 days before the hour of the present list; /v1/sol/wallets/leaders lists wallets that can be asked for`,
  )

export const createCopyStats = ({ views, presentation }: ChainBWorld): AnsweredRoute =>
  route({
    pattern: '/v1/sol/wallets/:addr/copy-stats',
    tool: 'sol_wallet_copy_stats',
    description:
      'The buys of one wallet in the last 14 days, its sales after them, and the results of copies; rebuilt hourly.',
    priceUsdMicros: 10_000,
    dependsOn: [{ ...chainBSource, maxAgeMs: 3 * hourMs }],
    needs: [leaderListNeed(views)],
    history: { ...leadersHistory, windowMs: leaderRules.windowMs },
    toldUntil: listToldUntil(views),
    params: { addr: walletParam },
    subject: { param: 'addr', stage: chainBStage, tracked: views.tracked.wallets, refusal: notTracked },
    schema: copyStatsAnswer,
    async answer({ addr: wallet }, cut) {
      const at = chainBCut(cut)
      const stats = await views.copyStats(at, wallet)
      if (stats === null) return notTracked(wallet)
      return {
        ...hourlyEnvelope.present({ ...at, rebuiltAtMs: stats.rebuiltAtMs }, presentation),
        wallet,
        method: copyStatsMethod(stats.summary.prior),
        buys: stats.buys.map((row) => copyBuy.present(row)),
        summary: copySummary.present(stats.summary),
      }
    },
  })
