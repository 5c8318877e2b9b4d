import { base58OfHex } from '../../../infra/base58.ts'
import type { RowKey } from '../../../schemas/chain-b/derived.ts'
import type { MintOpened } from '../../../schemas/chain-b/mints.ts'
import { dayMs } from '../../../schemas/units.ts'
import { flag, int64, nullable, text } from '../../columns.ts'
import { versionTable } from '../../table.ts'

/** The mints, with the time at which the service began to track them, which is the launch for most of them. */
export const chainBMints = versionTable<MintOpened>()({
  name: 'chain_b_mints',
  naturalKey: ['mint', 'opened_at_ms'],
  order: ['mint', 'opened_at_ms'],
  partition: { column: 'opened_at_ms', everyMs: dayMs },
  columns: {
    mint: text((_, { logKey }) => logKey),
    opened_at_ms: int64(({ openedAtMs }) => openedAtMs),
    launch_at_ms: nullable(int64)(({ launchAtMs }) => launchAtMs),
    curve: text(({ curve }) => base58OfHex(curve)),
    launch_slot: nullable(int64)(({ launchSlot }) => launchSlot),
    launcher: nullable(text)(({ launcher }) => launcher && base58OfHex(launcher)),
    creator: nullable(text)(({ creator }) => creator && base58OfHex(creator)),
    name: nullable(text)(({ name }) => name),
    symbol: nullable(text)(({ symbol }) => symbol),
    quote_mint: nullable(text)(({ quoteMint }) => quoteMint && base58OfHex(quoteMint)),
    is_mayhem: flag(({ isMayhem }) => isMayhem),
  },
  withdrawn: ({ atMs }: RowKey, mint: string) => ({ mint, opened_at_ms: atMs }),
})
