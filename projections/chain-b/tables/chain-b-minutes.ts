import type { RowKey } from '../../../schemas/chain-b/derived.ts'
import type { MintMinute } from '../../../schemas/chain-b/mints.ts'
import { dayMs } from '../../../schemas/units.ts'
import { bigInteger, float64, int64, nullable, text, uint32 } from '../../columns.ts'
import { versionTable } from '../../table.ts'

/** The trades of the mints by minute. The mint leads the order, because most questions are about one mint. */
export const chainBMinutes = versionTable<MintMinute>()({
  name: 'chain_b_minutes',
  naturalKey: ['mint', 'minute_at_ms'],
  order: ['mint', 'minute_at_ms'],
  partition: { column: 'minute_at_ms', everyMs: dayMs },
  columns: {
    mint: text((_, { logKey }) => logKey),
    minute_at_ms: int64(({ minuteAtMs }) => minuteAtMs),
    buy_lamports: bigInteger(({ buyLamports }) => buyLamports),
    sell_lamports: bigInteger(({ sellLamports }) => sellLamports),
    buys: uint32(({ buys }) => buys),
    sells: uint32(({ sells }) => sells),
    last_px: float64(({ lastPx }) => lastPx),
    fill: nullable(float64)(({ fill }) => fill),
  },
  withdrawn: ({ atMs }: RowKey, mint: string) => ({ mint, minute_at_ms: atMs }),
})
