import { base58OfHex } from '../../../infra/base58.ts'
import type { Burst } from '../../../schemas/chain-b/derived.ts'
import { bigInteger, float64, int64, nullable, text, uint32 } from '../../columns.ts'
import { versionTable } from '../../table.ts'
import { burstKey, burstPartition, withdrawnBurst } from './burst-key.ts'

export const chainBBursts = versionTable<Burst>()({
  name: 'chain_b_bursts',
  naturalKey: burstKey,
  bySubject: { token: 'mint', time: 'at_ms' },
  order: burstKey,
  partition: burstPartition,
  columns: {
    mint: text((_, { logKey }) => logKey),
    at_ms: int64(({ atMs }) => atMs),
    slot: int64(({ slot }) => slot),
    slot_hash: text(({ slotHash }) => base58OfHex(slotHash)),
    inflow_lamports: bigInteger(({ inflowLamports }) => inflowLamports),
    window_sec: uint32(({ windowSec }) => windowSec),
    fill_from: float64(({ fillFrom }) => fillFrom),
    fill_at: float64(({ fillAt }) => fillAt),
    launch_at_ms: int64(({ launchAtMs }) => launchAtMs),
    virtual_sol: float64(({ virtualSol }) => virtualSol),
    supersedes_at_ms: nullable(int64)((_, { supersedesAtMs }) => supersedesAtMs),
  },
  withdrawn: withdrawnBurst,
})
