import type { PoolMinute, RowKey } from '../../../schemas/chain-a/derived.ts'
import { dayMs } from '../../../schemas/units.ts'
import { bigInteger, float64, int64, nullable, text, uint32 } from '../../columns.ts'
import { versionTable } from '../../table.ts'

export const poolMinutes = versionTable<PoolMinute>()({
  name: 'pool_minutes',
  naturalKey: ['pool', 'minute_at_ms'],
  order: ['pool', 'minute_at_ms'],
  partition: { column: 'minute_at_ms', everyMs: dayMs },
  columns: {
    pool: text(({ pool }) => pool),
    minute_at_ms: int64(({ minuteAtMs }) => minuteAtMs),
    buy_wei: bigInteger(({ buyWei }) => buyWei),
    sell_wei: bigInteger(({ sellWei }) => sellWei),
    buys: uint32(({ buys }) => buys),
    sells: uint32(({ sells }) => sells),
    last_px: nullable(float64)(({ lastPx }) => lastPx),
    last_swap_at_ms: nullable(int64)(({ lastSwapAtMs }) => lastSwapAtMs),
    liq_eth: float64(({ liqEth }) => liqEth),
  },
  withdrawn: ({ pool, atMs }: RowKey) => ({ pool, minute_at_ms: atMs }),
})
