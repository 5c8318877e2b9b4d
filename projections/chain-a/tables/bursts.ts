import type { Burst, RowKey } from '../../../schemas/chain-a/derived.ts'
import { bigInteger, float64, int64, label, nullable, text, uint32 } from '../../columns.ts'
import { versionTable } from '../../table.ts'
import { burstKey, burstPartition, withdrawnBurst } from './burst-key.ts'

export const bursts = versionTable<Burst>()({
  name: 'bursts',
  naturalKey: burstKey,
  bySubject: { pool: 'pool', token: 'token', time: 'at_ms' },
  order: burstKey,
  partition: burstPartition,
  columns: {
    token: text((_, { logKey }) => logKey),
    pool: text(({ pool }) => pool),
    tier: label(({ tier }) => tier),
    at_ms: int64(({ atMs }) => atMs),
    dex: label(({ dex }) => dex),
    block_number: int64(({ blockNumber }) => blockNumber),
    block_hash: text(({ blockHash }) => blockHash),
    shape: label(({ shape }) => shape),
    inflow_wei: bigInteger(({ inflowWei }) => inflowWei),
    buys: uint32(({ buys }) => buys),
    sells: uint32(({ sells }) => sells),
    window_sec: uint32(({ windowSec }) => windowSec),
    pool_created_at_ms: int64(({ poolCreatedAtMs }) => poolCreatedAtMs),
    same_size_max: uint32(({ sameSizeMax }) => sameSizeMax),
    top3_share: float64(({ top3Share }) => top3Share),
    size_cv: float64(({ sizeCv }) => sizeCv),
    px: float64(({ px }) => px),
    supersedes_at_ms: nullable(int64)((_, { supersedesAtMs }) => supersedesAtMs),
  },
  withdrawn: (key: RowKey, token) => ({ token, ...withdrawnBurst(key) }),
})
