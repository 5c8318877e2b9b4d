import { base58OfHex } from '../../../infra/base58.ts'
import type { CopyOpened } from '../../../schemas/chain-b/derived.ts'
import { bigInteger, float64, int32, int64, nullable, text } from '../../columns.ts'
import { versionTable } from '../../table.ts'
import { copyKey, copyPartition, withdrawnCopy } from './copy-key.ts'

export const chainBCopies = versionTable<CopyOpened>()({
  name: 'chain_b_copies',
  naturalKey: copyKey,
  order: copyKey,
  leading: 'wallet',
  partition: copyPartition,
  columns: {
    mint: text((_, { logKey }) => logKey),
    at_ms: int64(({ atMs }) => atMs),
    tx_hash: text(({ txHash }) => base58OfHex(txHash)),
    log_index: int32(({ logIndex }) => logIndex),
    slot: int64(({ slot }) => slot),
    wallet: text(({ wallet }) => base58OfHex(wallet)),
    lamports: bigInteger(({ lamports }) => lamports),
    fill_at: float64(({ fillAt }) => fillAt),
    launch_at_ms: nullable(int64)(({ launchAtMs }) => launchAtMs),
    px: float64(({ px }) => px),
    supersedes_at_ms: nullable(int64)((_, { supersedesAtMs }) => supersedesAtMs),
  },
  withdrawn: withdrawnCopy,
})
