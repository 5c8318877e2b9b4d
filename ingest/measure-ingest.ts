import type { Metrics } from '../infra/metrics/metrics.ts'
import type { EpochMs } from '../schemas/units.ts'
import type { IngestOptions, IngestProgress } from './run-ingest.ts'

type Measured = { facts: number; publishedAtMs: EpochMs | null; tick: Tick | null }
type Tick = Parameters<NonNullable<IngestOptions['onTick']>>[0]

export type IngestMeasures = Readonly<{
  onProgress(stage: string, progress: Pick<IngestProgress, 'facts'>): void
  onTick(stage: string, tick: Tick): void
}>

/** Keeps the last state of each stage (one chain, or the chats). Its metrics are read from this state. */
export function measureIngest(metrics: Metrics, nowMs: () => EpochMs): IngestMeasures {
  const stages = new Map<string, Measured>()
  const of = (stage: string): Measured => {
    const known = stages.get(stage) ?? { facts: 0, publishedAtMs: null, tick: null }
    stages.set(stage, known)
    return known
  }
  /** The values of all stages that have one. */
  const values = (pick: (measured: Measured) => number | null) => () =>
    [...stages].flatMap(([stage, measured]) => {
      const value = pick(measured)
      return value === null ? [] : [[value, { stage }] as const]
    })
  const ageOf = (atMs: EpochMs | undefined) => (atMs === undefined ? null : (nowMs() - atMs) / 1000)
  metrics.read(
    'launch_data_ingest_facts_total',
    values(({ facts }) => facts),
  )
  metrics.read(
    'launch_data_ingest_last_success_timestamp_seconds',
    values(({ publishedAtMs }) => publishedAtMs && publishedAtMs / 1000),
  )
  metrics.read(
    'launch_data_ingest_block_age_seconds',
    values(({ tick }) => ageOf(tick?.atMs)),
  )
  metrics.read(
    'launch_data_ingest_tick_age_seconds',
    values(({ tick }) => ageOf(tick?.knownAtMs)),
  )
  return {
    onProgress(stage, { facts }) {
      const measured = of(stage)
      measured.facts += facts
      measured.publishedAtMs = nowMs()
    },
    onTick(stage, tick) {
      of(stage).tick = tick
    },
  }
}
