import { z } from 'zod'
import type { CopyStatsRow } from '../../../projections/chain-b/queries/chain-b-queries.ts'
import { leaderRules, listedBuysMax } from '../../../schemas/chain-b/copy-rules.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { hourMs } from '../../../schemas/units.ts'
import { described, fieldsOf } from '../../resource.ts'
import { route } from '../../route.ts'
import { refuse } from '../../sale/refusals.ts'
import { count, share } from '../../values.ts'
import type { ChainBDependencies } from '../dependencies.ts'
import { leadersHistory } from '../history.ts'
import { leaderListNeed, listCoveredUntil } from '../leader-list-need.ts'
import { walletParam } from '../params.ts'
import { copyBuy } from '../resources/copy-buy.ts'
import { copyStatsMethod, copyStatsMethodSchema } from '../resources/copy-method.ts'
import { hourlyEnvelope } from '../resources/hourly-envelope.ts'
import { addressSchema } from '../resources/identifiers.ts'
import { leaderSells } from '../resources/leader-sells.ts'
import { chainBCut, chainBSource } from '../source.ts'

const { now, resource } = fieldsOf<CopyStatsRow['summary']>()

export const copySummary = resource('copySummary', {
  buys: now(count, 'Followed buys of the window; `buys` lists the newest 100.', (row) => row.buys),
  rank: now(z.int().min(1).nullable(), 'Place on the list of leaders in force; null off the list.', (row) => row.rank),
  n: now(count, 'Replayed big buys: the newest of the window, at most 60.', (row) => row.n),
  evShrunk: now(z.number(), 'Mean return per copy, shrunk as in the list of leaders.', (row) => row.evShrunk),
  evRaw: now(z.number().nullable(), 'Mean return per copy, each counted as +100% at most.', (row) => row.evRaw),
  winShare: now(share.nullable(), 'Share of the replays that ended above 0.', (row) => row.winShare),
  shadowed: now(count, 'Buys of the window that were followed for 60 minutes.', (row) => row.shadowed),
  shadowHit: now(share.nullable(), 'Share of those that reached +35% before -20%.', (row) => row.shadowHit),
  sells: now(leaderSells.schema.nullable(), 'The wallet’s own exits; null when none was watched for.', (row) =>
    leaderSells.present(row),
  ),
})

const copyStatsAnswer = hourlyEnvelope.schema.extend({
  wallet: described('now', addressSchema, 'Address.'),
  method: copyStatsMethodSchema,
  buys: described('now', z.array(copyBuy.schema).max(listedBuysMax), 'Newest first.'),
  summary: described('now', copySummary.schema, 'Of all buys of the window.'),
})

const notTracked = (wallet: string) =>
  refuse(
    'not_tracked',
    `wallet ${wallet} made no buy of 0.2 SOL or more in the 14 days that the current list of leaders covers. /v1/sol/wallets/leaders lists wallets with such buys`,
  )

export const createCopyStats = ({ queries, presentation }: ChainBDependencies) =>
  route({
    pattern: '/v1/sol/wallets/:addr/copy-stats',
    tool: 'sol_wallet_copy_stats',
    description:
      'The buys of one wallet in the last 14 days, its sales after them, and the results of copies; rebuilt hourly.',
    priceUsdMicros: 10_000,
    dependsOn: [{ ...chainBSource, maxAgeMs: 3 * hourMs }],
    needs: [leaderListNeed(queries)],
    history: { ...leadersHistory, windowMs: leaderRules.windowMs },
    coveredUntil: listCoveredUntil(queries),
    params: { addr: walletParam },
    subject: { param: 'addr', stage: chainBStage, tracked: queries.tracked.wallets, refusal: notTracked },
    schema: copyStatsAnswer,
    async answer({ addr: wallet }, cut) {
      const at = chainBCut(cut)
      const stats = await queries.copyStats(at, wallet)
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
