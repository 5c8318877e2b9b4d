/** Measures the age of the data in answers, and the clients of the stream. */
import type { Metrics } from '../../infra/metrics/metrics.ts'
import type { StageCut } from '../../projections/cuts.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { Answers } from '../sale/answers.ts'
import { dataAgeMs } from '../sale/freshness.ts'
import type { Stream } from '../stream/stream.ts'
import { type DescribedSource, statesOf } from './service-info.ts'

type Dependencies = Readonly<{
  sources: readonly DescribedSource[]
  answers: Answers
  stream: Pick<Stream, 'clientCount' | 'catchingUpCount' | 'closedCounts' | 'resumeCounts' | 'eventsAgainCount'>
  nowMs: () => EpochMs
}>

export function measureData(metrics: Metrics, { sources, answers, stream, nowMs }: Dependencies): void {
  /** The ages of all stages that have such an age, in seconds. */
  const agesOf = (ageMsOf: (cut: StageCut) => number | null) => async () =>
    (await statesOf(sources, answers)).flatMap(({ chain, cut }) => {
      const ageMs = cut && ageMsOf(cut)
      return ageMs === null ? [] : [[ageMs / 1000, { stage: chain.stage.name }] as const]
    })
  metrics.read(
    'launch_data_cut_age_seconds',
    agesOf(({ atMs }) => nowMs() - atMs),
  )
  metrics.read(
    'launch_data_data_age_seconds',
    agesOf((cut) => dataAgeMs(cut, nowMs())),
  )
  metrics.read(
    'launch_data_coin_price_age_seconds',
    agesOf(({ coinPrice }) => coinPrice && nowMs() - coinPrice.atMs),
  )
  metrics.read('launch_data_stream_clients', () => [[stream.clientCount(), {}]])
  metrics.read('launch_data_stream_catching_up', () => [[stream.catchingUpCount(), {}]])
  metrics.read('launch_data_stream_closed_total', () =>
    Object.entries(stream.closedCounts()).map(([reason, count]) => [count, { reason }] as const),
  )
  metrics.read('launch_data_stream_resumes_total', () =>
    Object.entries(stream.resumeCounts()).map(([result, count]) => [count, { result }] as const),
  )
  metrics.read('launch_data_stream_events_again_total', () => [[stream.eventsAgainCount(), {}]])
}
