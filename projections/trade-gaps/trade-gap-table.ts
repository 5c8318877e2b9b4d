/** The table of gaps (times with missing trades in the log), with the rows of all chains. */
import type { AvroValue } from '../../schemas/avro.ts'
import type { tradeGapFields } from '../../schemas/trade-gap.ts'
import { dayMs, type EpochMs, type TxHash } from '../../schemas/units.ts'
import { bigInteger, int32, int64, label, nullable, type RowContext, text } from '../columns.ts'
import type { RowOf } from '../select.ts'
import { tableOfChains } from '../table.ts'

type Fields = AvroValue<Readonly<{ type: 'record'; fields: typeof tradeGapFields }>>
type Place = Readonly<{ txHash: TxHash; logIndex: number }>
type Gap = Fields & Place & Readonly<{ atMs: EpochMs }>

/**
 * How a chain names a gap. `market` is the pool. It is empty if a token can have gaps in one market only.
 * `place` is a text that distinguishes gaps of the same time.
 */
type Naming<Of, Key> = Readonly<{
  /** The name of the chain's stage. */
  chain: string
  marketOf(gap: Of): string
  placeOf(place: Place): string
  withdrawn(key: Key): Readonly<{ market: string; at_ms: number; place: string }>
}>

export const tradeGapMigrations = new URL('./migrations/', import.meta.url)

export const tradeGapTable = <Of extends Gap, Key>({ chain, marketOf, placeOf, withdrawn }: Naming<Of, Key>) =>
  tableOfChains<Of>()({
    name: 'trade_gaps',
    naturalKey: ['token', 'at_ms', 'market', 'place'],
    // The rows are ordered by token, because queries select by token.
    order: ['token', 'at_ms', 'market', 'place'],
    partition: { column: 'at_ms', everyMs: dayMs },
    columns: {
      token: text((_: Of, { logKey }: RowContext) => logKey),
      market: text(marketOf),
      at_ms: int64(({ atMs }: Of) => atMs),
      place: text(placeOf),
      from_at_ms: int64(({ fromAtMs }: Of) => fromAtMs),
      to_at_ms: int64(({ toAtMs }: Of) => toAtMs),
      trades: nullable(int32)(({ trades }: Of) => trades),
      volume_raw: nullable(bigInteger)(({ volumeRaw }: Of) => volumeRaw),
      state: label(({ state }: Of) => state),
    },
    withdrawn: (key: Key, token: string) => ({ token, ...withdrawn(key) }),
  }).of(chain)

export type TradeGapTable = ReturnType<typeof tradeGapTable<never, never>>

export type TradeGapRow = RowOf<TradeGapTable> & Readonly<{ knownAtMs: EpochMs }>
