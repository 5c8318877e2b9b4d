import { base58OfHex } from '../../../infra/base58.ts'
import type { CopyClosed } from '../../../schemas/chain-b/derived.ts'
import { flag, float64, int32, int64, nullable, plain, text } from '../../columns.ts'
import { versionTable } from '../../table.ts'
import { copyKey, copyPartition, withdrawnCopy } from './copy-key.ts'

const numbers = plain<readonly number[]>('Array(Float64)')
const exitReason = plain<CopyClosed['exit']>('Nullable(String)')

export const chainBCopyResults = versionTable<CopyClosed>()({
  name: 'chain_b_copy_results',
  naturalKey: copyKey,
  order: copyKey,
  leading: 'wallet',
  partition: copyPartition,
  columns: {
    mint: text((_, { logKey }) => logKey),
    at_ms: int64(({ atMs }) => atMs),
    tx_hash: text(({ txHash }) => base58OfHex(txHash)),
    log_index: int32(({ logIndex }) => logIndex),
    wallet: text(({ wallet }) => base58OfHex(wallet)),
    is_hit: flag(({ isHit }) => isHit),
    path: numbers(({ path }) => path),
    sale_after_sec: nullable(int32)(({ leaderSale }) => leaderSale?.afterSec ?? null),
    sale_share: nullable(float64)(({ leaderSale }) => leaderSale?.share ?? null),
    sale_gain: nullable(float64)(({ leaderSale }) => leaderSale?.gain ?? null),
    quote_drift: nullable(float64)(({ quoteDrift }) => quoteDrift),
    fill_slip: nullable(float64)(({ fillSlip }) => fillSlip),
    ret: nullable(float64)(({ ret }) => ret),
    exit: exitReason(({ exit }) => exit),
    exit_sec: nullable(int32)(({ exitSec }) => exitSec),
  },
  withdrawn: withdrawnCopy,
})
