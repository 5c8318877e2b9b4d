import type { Metrics } from '../../infra/metrics/metrics.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { ProjectionsProgress } from './run.ts'

type Measured = { rows: number; batches: number; writtenAtMs: EpochMs; readonly knownAtMs: Map<number, EpochMs> }

/** Returns a function that must be called after each batch. The metrics are read from the last state of each stage. */
export function measureProjections(
  metrics: Metrics,
  nowMs: () => EpochMs,
): (progress: Pick<ProjectionsProgress, 'rowCount' | 'partitions'>, stage: string) => void {
  const stages = new Map<string, Measured>()
  const values = (pick: (measured: Measured) => number) => () =>
    [...stages].map(([stage, measured]) => [pick(measured), { stage }] as const)
  metrics.read('launch_data_projection_lag_seconds', () =>
    [...stages].flatMap(([stage, { knownAtMs }]) =>
      [...knownAtMs].map(([partition, atMs]) => [(nowMs() - atMs) / 1000, { stage, partition }] as const),
    ),
  )
  metrics.read(
    'launch_data_projection_last_success_timestamp_seconds',
    values(({ writtenAtMs }) => writtenAtMs / 1000),
  )
  metrics.read(
    'launch_data_projection_rows_total',
    values(({ rows }) => rows),
  )
  metrics.read(
    'launch_data_projection_batches_total',
    values(({ batches }) => batches),
  )
  return ({ rowCount, partitions }, stage) => {
    const measured = stages.get(stage) ?? { rows: 0, batches: 0, writtenAtMs: 0, knownAtMs: new Map() }
    stages.set(stage, measured)
    measured.rows += rowCount
    measured.batches += 1
    measured.writtenAtMs = nowMs()
    for (const { partition, knownAtMs } of partitions) measured.knownAtMs.set(partition, knownAtMs)
  }
}
