import { z } from 'zod'
import type { LeaderListRow } from '../../../projections/chain-b/queries/chain-b-queries.ts'
import { leaderRules } from '../../../schemas/chain-b/copy-rules.ts'
import { hourMs } from '../../../schemas/units.ts'
import { described, fieldsOf } from '../../resource.ts'
import { route } from '../../route.ts'
import type { NumberParam } from '../../sale/params.ts'
import { refuse } from '../../sale/refusals.ts'
import { count, epochMs, share } from '../../values.ts'
import type { ChainBDependencies } from '../dependencies.ts'
import { leadersHistory } from '../history.ts'
import { leaderListNeed, listCoveredUntil, noListYet } from '../leader-list-need.ts'
import { leadersMethod, leadersMethodSchema } from '../resources/copy-method.ts'
import { hourlyEnvelope } from '../resources/hourly-envelope.ts'
import { addressSchema } from '../resources/identifiers.ts'
import { leaderSells } from '../resources/leader-sells.ts'
import { chainBCut, chainBSource } from '../source.ts'

type Ranked = LeaderListRow['leaders'][number] & Readonly<{ rank: number }>

const { now, resource } = fieldsOf<Ranked>()

/** A wallet whose buys, when copied in simulations, gave some of the best returns. */
export const walletLeader = resource('walletLeader', {
  rank: now(z.int().min(1), 'Place by evShrunk; ties by more replays, then by wallet.', (row) => row.rank),
  wallet: now(addressSchema, 'Address.', (row) => row.wallet),
  n: now(count, 'Replayed big buys: the newest of the window, at most 60.', (row) => row.n),
  evShrunk: now(
    z.number(),
    'Mean return per copy, shrunk: (n * evRaw + k * prior) / (n + k), with k and prior of `method`.',
    (row) => row.evShrunk,
  ),
  evRaw: now(z.number(), 'Mean return per copy, each counted as +100% at most.', (row) => row.evRaw),
  winShare: now(share, 'Share of the replays that ended above 0, fees included.', (row) => row.winShare),
  shadowed: now(count, 'Buys of the window that were followed for 60 minutes, of all sizes.', (row) => row.shadowed),
  shadowHit: now(share, 'Share of those that reached +35% before -20%.', (row) => row.shadowHit),
  gapBuys: now(
    count,
    'Of the shadowed buys, those in whose 60 minutes trades on the curve are known to be missing; they count like all others.',
    (row) => row.gapBuys,
  ),
  lastBuyAt: now(epochMs, 'Time of the newest buy that is followed.', (row) => row.lastBuyAtMs),
  sells: now(leaderSells.schema.nullable(), 'The wallet’s own exits; null when none was watched for.', (row) =>
    leaderSells.present(row),
  ),
})

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

export const createLeaders = ({ queries, presentation }: ChainBDependencies) =>
  route({
    pattern: '/v1/sol/wallets/leaders',
    tool: 'sol_wallet_leaders',
    description: 'The wallets whose copies did best, by the replays of their big buys; rebuilt hourly.',
    priceUsdMicros: 50_000,
    dependsOn: [{ ...chainBSource, maxAgeMs: 3 * hourMs }],
    needs: [leaderListNeed(queries)],
    history: leadersHistory,
    coveredUntil: listCoveredUntil(queries),
    params: { limit: limitParam },
    schema: leadersAnswer,
    async answer({ limit }, cut) {
      const at = chainBCut(cut)
      const list = await queries.leaderList(at)
      if (list === null) return refuse('warming_up', noListYet)
      const wallets = list.leaders
        .slice(0, limit)
        .map((row, index) => walletLeader.present({ ...row, rank: index + 1 }))
      const envelope = hourlyEnvelope.present({ ...at, rebuiltAtMs: list.rebuiltAtMs }, presentation)
      return { ...envelope, method: leadersMethod(list), wallets }
    },
  })
