import { base58OfHex } from '../../../infra/base58.ts'
import type { BurstAnatomy } from '../../../schemas/chain-b/derived.ts'
import { float64, int64, nullable, text, texts, uint32 } from '../../columns.ts'
import { versionTable } from '../../table.ts'
import { burstKey, burstPartition, withdrawnBurst } from './burst-key.ts'

export const chainBAnatomies = versionTable<BurstAnatomy>()({
  name: 'chain_b_anatomies',
  naturalKey: burstKey,
  bySubject: { token: 'mint', time: 'at_ms' },
  order: burstKey,
  partition: burstPartition,
  columns: {
    mint: text((_, { logKey }) => logKey),
    at_ms: int64(({ atMs }) => atMs),
    buys: uint32(({ buys }) => buys),
    wallets: texts(({ wallets }) => wallets.map(base58OfHex)),
    same_slot_max: uint32(({ sameSlotMax }) => sameSlotMax),
    bundled_share: float64(({ bundledShare }) => bundledShare),
    same_size_max: uint32(({ sameSizeMax }) => sameSizeMax),
    top3_share: float64(({ top3Share }) => top3Share),
    holders_top10: nullable(float64)(({ holdersTop10 }) => holdersTop10),
    holder_top1: nullable(float64)(({ holderTop1 }) => holderTop1),
  },
  withdrawn: withdrawnBurst,
})
