import type { LaunchCurve, RowKey } from '../../../schemas/chain-a/derived.ts'
import { dayMs } from '../../../schemas/units.ts'
import { bigInteger, flag, int32, int64, label, nullable, text } from '../../columns.ts'
import { versionTable } from '../../table.ts'

export const launchCurves = versionTable<LaunchCurve>()({
  name: 'launch_curves',
  naturalKey: ['token', 'curve', 'launched_at_ms'],
  bySubject: { token: 'token', time: 'launched_at_ms' },
  order: ['token', 'curve', 'launched_at_ms'],
  // Rows are partitioned by the time at which they became known, because a curve can get new versions years
  // after its launch.
  partition: { column: 'known_at_ms', everyMs: dayMs },
  columns: {
    token: text((_, { logKey }) => logKey),
    curve: text(({ curve }) => curve),
    // 0 if the curve was launched before the log began.
    launched_at_ms: int64(({ launchAtMs }) => launchAtMs ?? 0),
    launchpad: label(({ launchpad }) => launchpad),
    completed: flag(({ completed }) => completed),
    symbol: nullable(text)(({ symbol }) => symbol),
    creator: nullable(text)(({ creator }) => creator),
    launch_block: nullable(int64)(({ launchBlock }) => launchBlock),
    grad_block: nullable(int64)(({ gradBlock }) => gradBlock),
    graduation_wei: bigInteger(({ graduationWei }) => graduationWei),
    reserve_wei: bigInteger(({ reserveWei }) => reserveWei),
    phantom_wei: bigInteger(({ phantomWei }) => phantomWei),
    supply_raw: bigInteger(({ supplyRaw }) => supplyRaw),
    fee_bps: nullable(int32)(({ feeBps }) => feeBps),
    read_block: int64(({ readBlock }) => readBlock),
    read_at_ms: int64(({ readAtMs }) => readAtMs),
  },
  withdrawn: ({ pool: curve, atMs }: RowKey, token) => ({ token, curve, launched_at_ms: atMs }),
})
