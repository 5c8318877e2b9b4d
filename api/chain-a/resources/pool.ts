/** A pool, and the sums of its trades for each minute. */
import { z } from 'zod'
import type { MinuteRow, PoolRow } from '../../../projections/chain-a/queries/chain-a-queries.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { tiers } from '../../../schemas/chain-a/derived.ts'
import { dexes } from '../../../schemas/chain-a/facts.ts'
import { minutesBetween } from '../../durations.ts'
import { fieldsOf, type Presented } from '../../resource.ts'
import { minuteGapsField } from '../../trade-gaps.ts'
import { count, epochMs } from '../../values.ts'
import { addressSchema, poolIdSchema } from './identifiers.ts'

const { now, resource } = fieldsOf<PoolRow, StageCut>()

export const pool = resource('pool', {
  id: now(poolIdSchema, 'v4 pool id or v3 pool address.', (row) => row.pool),
  dex: now(z.enum(dexes), 'Version of the exchange.', (row) => row.dex),
  token: now(addressSchema, 'Token contract.', (row) => row.token),
  createdBlock: now(count, 'Block of creation.', (row) => row.createdBlock),
  ageMin: now(z.number().min(0), 'Minutes from the creation to generatedAt.', (row, { atMs }) =>
    Math.max(0, minutesBetween(row.createdAtMs, atMs)),
  ),
  lastPx: now(
    z.number(),
    'Last swap price, ETH per raw token unit; the initial price before any swap.',
    (row) => row.lastPx,
  ),
  liqEth: now(z.number().min(0), 'ETH side of the liquidity at the last swap.', (row) => row.liqEth),
  lastSwapAt: now(epochMs, 'Time of the last swap; of the creation before any.', (row) => row.lastSwapAtMs),
  net60m: now(z.number(), 'Net ETH in over the 60 minutes that the flow route lists.', (row) => row.net60mEth),
  buys60m: now(count, 'Buy swaps, the same 60 minutes.', (row) => row.buys60m),
  sells60m: now(count, 'Sell swaps, the same 60 minutes.', (row) => row.sells60m),
  fired: now(z.array(z.enum(tiers)), 'Tiers that have fired on the pool.', (row) => [...row.fired]),
})

export type Pool = Presented<typeof pool>

/** The columns of one minute in `mins`, in the order in which the answer lists them. */
const minuteColumns = {
  minuteStartMs: (row) => row.minuteAtMs,
  netEth: (row) => row.netEth,
  buyEth: (row) => row.buyEth,
  sellEth: (row) => row.sellEth,
  buys: (row) => row.buys,
  sells: (row) => row.sells,
} as const satisfies Readonly<Record<string, (row: MinuteRow) => number>>

const minuteColumnNames = Object.keys(minuteColumns) as (keyof typeof minuteColumns)[]

const flow = fieldsOf<PoolRow & Readonly<{ minutes: readonly MinuteRow[] }>, StageCut>()

export const poolFlow = flow.resource('poolFlow', {
  ...pool.fields,
  mins: flow.now(
    z.array(z.array(z.number()).length(minuteColumnNames.length)).length(60),
    'The last 60 minutes, oldest first, the running one last.',
    ({ minutes }) => minutes.map((row) => Object.values(minuteColumns).map((read) => read(row))),
  ),
  minCols: flow.now(z.array(z.enum(minuteColumnNames)), 'What the numbers of a row are.', () => minuteColumnNames),
  ...minuteGapsField,
})
