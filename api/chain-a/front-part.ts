import type { BurstRow, PoolRow } from '../../projections/chain-a/queries/chain-a-queries.ts'
import { dayMs, minuteMs } from '../../schemas/units.ts'
import {
  type FrontBurst,
  type FrontPart,
  type FrontToken,
  frontBurstsMax,
  frontColumnTokens,
  frontPricesHours,
} from '../front/parts.ts'
import type { ChainADependencies } from './dependencies.ts'

const question = { minutes: dayMs / minuteMs, tier: 'all', lp: 'all', limit: frontBurstsMax } as const

export const createFrontPart = ({ queries, presentation }: ChainADependencies): FrontPart => ({
  wireName: presentation.chainName,
  coin: 'ETH',
  endsAt: '30 minutes after the signal',
  async answer(cut) {
    const [bursts, pools] = await Promise.all([
      queries.burstsLive(cut, question),
      queries.poolsNew(cut, { hours: 1, limit: frontColumnTokens }),
    ])
    return {
      bursts: bursts.map(burstOf),
      columns: [
        {
          title: 'New pools',
          says: 'Pools with a price that were created in the last hour, the newest first.',
          tokens: pools.map(tokenOf),
        },
      ],
    }
  },
  async pricesOf(cut, token) {
    const found = await queries.tokenPrices(cut, { token, hours: frontPricesHours })
    if (found === null) return null
    const { pool, poolCount, minutes, gaps } = found
    const others = poolCount === 1 ? 'its only pool' : `the one of its ${poolCount} pools with the most ETH`
    return {
      ...{ name: null, market: `The pool ${pool}, ${others} of the last 48 hours.`, poolFromMs: null },
      points: minutes.map(({ minuteAtMs, lastPx }) => ({ minuteAtMs, px: lastPx })),
      areTradesMissing: gaps !== null,
    }
  },
})

const tokenOf = ({ token, createdAtMs, liqEth, buys60m, sells60m, fired }: PoolRow): FrontToken => ({
  token,
  atMs: createdAtMs,
  facts: [
    `${liqEth.toFixed(2)} ETH of liquidity`,
    `${buys60m} buys, ${sells60m} sells`,
    ...(fired.length === 0 ? [] : [`burst: ${fired.join(', ')}`]),
  ],
  fill: null,
})

const burstOf = (row: BurstRow): FrontBurst => ({
  token: row.token,
  atMs: row.atMs,
  inflow: row.inflowEth,
  text: `${row.tier}: +${row.inflowEth.toFixed(2)} ETH in ${row.windowSec} s, ${row.buys} buys, pool ${Math.floor(row.poolAgeMin)} min old`,
  ret: row.outcome?.ret30m ?? null,
  isPulled: row.outcome?.rug != null,
})
