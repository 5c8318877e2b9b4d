import { base58OfHex } from '../../../infra/base58.ts'
import type { RowKey } from '../../../schemas/chain-b/derived.ts'
import type { Safety } from '../../../schemas/chain-b/safety.ts'
import { type Address, dayMs } from '../../../schemas/units.ts'
import { flag, float64, int64, label, nullable, text, texts } from '../../columns.ts'
import { versionTable } from '../../table.ts'

const addressOf = (authority: Address | null): string | null => authority && base58OfHex(authority)

export const chainBSafety = versionTable<Safety>()({
  name: 'chain_b_safety',
  // The rows are ordered by mint, because queries select by mint only.
  naturalKey: ['mint', 'checked_at_ms', 'reason'],
  bySubject: { token: 'mint', time: 'checked_at_ms' },
  order: ['mint', 'checked_at_ms'],
  partition: { column: 'checked_at_ms', everyMs: dayMs },
  columns: {
    mint: text((_, { logKey }) => logKey),
    checked_at_ms: int64(({ checkedAtMs }) => checkedAtMs),
    provider: label(({ provider }) => provider),
    score: nullable(float64)(({ score }) => score),
    is_rugged: nullable(flag)(({ isRugged }) => isRugged),
    mint_authority: nullable(text)(({ mintAuthority }) => addressOf(mintAuthority)),
    freeze_authority: nullable(text)(({ freezeAuthority }) => addressOf(freezeAuthority)),
    lp_locked_share: nullable(float64)(({ lpLockedShare }) => lpLockedShare),
    top_holder_share: nullable(float64)(({ topHolderShare }) => topHolderShare),
    fails: texts(({ fails }) => fails),
    reason: label(({ reason }) => reason),
    has_pool: nullable(flag)(({ hasPool }) => hasPool),
  },
  // Older log records that withdraw a row have no reason. At that time, rug checks were made only at bursts.
  withdrawn: ({ atMs, name }: RowKey, mint) => ({ mint, checked_at_ms: atMs, reason: name || 'burst' }),
})
