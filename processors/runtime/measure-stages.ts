import type { Metrics } from '../../infra/metrics/metrics.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { TaskProgress } from './task.ts'

/** `readBefore`: the records that earlier runs of the task read in this process. */
type Measured = Readonly<{
  stage: string
  progress: TaskProgress
  tickedAtMs: EpochMs
  readBefore: number
}>

export type StageMeasures = Readonly<{
  onProgress(stage: string, progress: TaskProgress): void
  /** Must be called when this worker no longer processes the partitions. Another worker then reports their lag. */
  forget(stage: string, partitions: readonly number[]): void
}>

/** Keeps the last progress of each task (one partition of a stage). The metrics are read from it. */
export function measureStages(metrics: Metrics, nowMs: () => EpochMs): StageMeasures {
  const tasks = new Map<string, Measured>()
  const values = (pick: (measured: Measured) => number) => () =>
    [...tasks.values()].map((measured) => {
      const { stage, progress } = measured
      return [pick(measured), { stage, partition: progress.partition }] as const
    })
  metrics.read(
    'launch_data_stage_lag_seconds',
    values(({ progress }) => (nowMs() - progress.knownAtMs) / 1000),
  )
  metrics.read(
    'launch_data_stage_last_success_timestamp_seconds',
    values(({ tickedAtMs }) => tickedAtMs / 1000),
  )
  metrics.read(
    'launch_data_stage_records_total',
    values(({ readBefore, progress }) => readBefore + progress.records),
  )
  metrics.read(
    'launch_data_stage_tokens',
    values(({ progress }) => progress.tokens),
  )
  metrics.read(
    'launch_data_stage_folding',
    values(({ progress }) => (progress.isFolding ? 1 : 0)),
  )
  return {
    onProgress(stage, progress) {
      const key = keyOf(stage, progress.partition)
      const last = tasks.get(key)
      const isNewTick = last === undefined || last.progress.seq !== progress.seq
      const isRestarted = last !== undefined && progress.records < last.progress.records
      const readBefore = (last?.readBefore ?? 0) + (isRestarted ? last.progress.records : 0)
      tasks.set(key, { stage, progress, readBefore, tickedAtMs: isNewTick ? nowMs() : last.tickedAtMs })
    },
    forget(stage, partitions) {
      for (const partition of partitions) tasks.delete(keyOf(stage, partition))
    },
  }
}

const keyOf = (stage: string, partition: number): string => `${stage}/${partition}`
