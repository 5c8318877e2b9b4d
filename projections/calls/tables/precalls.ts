/**
 * The tables of precalls (summaries of the trades before a call), and of the wallets that bought in that
 * time.
 */

import type { Precall, PrecallBuyers } from '../../../schemas/calls/derived.ts'
import { dayMs, type EpochMs } from '../../../schemas/units.ts'
import { bigInteger, flag, float64, int32, int64, nullable, text, texts } from '../../columns.ts'
import { tableOfChains } from '../../table.ts'

const key = ['token', 'posted_at_ms'] as const
const partition = { column: 'posted_at_ms', everyMs: dayMs } as const
const withdrawn = ({ atMs }: Readonly<{ atMs: EpochMs }>, token: string) => ({ token, posted_at_ms: atMs })

export const precalls = tableOfChains<Precall>()({
  name: 'precalls',
  naturalKey: key,
  bySubject: { token: 'token', time: 'posted_at_ms' },
  order: key,
  partition,
  columns: {
    token: text((_, { logKey }) => logKey),
    posted_at_ms: int64(({ postedAtMs }) => postedAtMs),
    is_tracked: flag(({ isTracked }) => isTracked),
    buys: int32(({ buys }) => buys),
    buy_wei: bigInteger(({ buyWei }) => buyWei),
    same_block_max_tx: int32(({ sameBlockMaxTx }) => sameBlockMaxTx),
    run_60: nullable(float64)(({ run60 }) => run60),
    age_at_call_ms: nullable(int64)(({ ageAtCallMs }) => ageAtCallMs),
    chg_1h0: nullable(float64)(({ chg1h0 }) => chg1h0),
    flags: texts(({ flags }) => flags),
  },
  withdrawn,
})

export const precallBuyers = tableOfChains<PrecallBuyers>()({
  name: 'precall_buyers',
  naturalKey: key,
  bySubject: { token: 'token', time: 'posted_at_ms' },
  order: key,
  partition,
  columns: {
    token: text((_, { logKey }) => logKey),
    posted_at_ms: int64(({ postedAtMs }) => postedAtMs),
    wallets: nullable(int32)(({ wallets }) => wallets),
    same_block_wallets: nullable(int32)(({ sameBlockWallets }) => sameBlockWallets),
    wallet_list: texts(({ walletList }) => walletList),
    flags: texts(({ flags }) => flags),
  },
  withdrawn,
})
