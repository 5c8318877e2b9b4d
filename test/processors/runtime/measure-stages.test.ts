import { expect } from 'chai'
import { createMetrics } from '../../../infra/metrics/metrics.ts'
import { measureStages } from '../../../processors/runtime/measure-stages.ts'
import type { TaskProgress } from '../../../processors/runtime/task.ts'
import { samplesOf } from '../../support/metric-samples.ts'

const progressOf = (overrides: Partial<TaskProgress>): TaskProgress => ({
  ...{ partition: 2, seq: 1, knownAtMs: 1_000, blockAtMs: 500, factsPerSecond: 9, records: 10 },
  ...{ isFolding: false, tokens: 5, timers: 6 },
  ...overrides,
})

describe('the metrics of stages', () => {
  let nowMs: number
  let metrics: ReturnType<typeof createMetrics>
  let measures: ReturnType<typeof measureStages>
  beforeEach(() => {
    nowMs = 4_000
    metrics = createMetrics('process')
    measures = measureStages(metrics, () => nowMs)
  })
  const samplesNamed = async (name: string) => (await samplesOf(metrics)).filter((line) => line.startsWith(name))

  it('are the lag in seconds and the work of each partition', async () => {
    measures.onProgress('chain-a', progressOf({ isFolding: true }))
    nowMs = 4_250
    const labels = '{stage="chain-a",partition="2"}'
    expect(await samplesOf(metrics)).to.deep.equal([
      `stage_lag_seconds${labels} 3.25`,
      `stage_last_success_timestamp_seconds${labels} 4`,
      `stage_records_total${labels} 10`,
      `stage_tokens${labels} 5`,
      `stage_folding${labels} 1`,
    ])
  })

  it('give the time of the last new tick, and not of a report without one', async () => {
    measures.onProgress('chain-a', progressOf({ seq: 1 }))
    nowMs = 9_000
    measures.onProgress('chain-a', progressOf({ seq: 1 }))
    expect(await samplesNamed('stage_last')).to.deep.equal([
      'stage_last_success_timestamp_seconds{stage="chain-a",partition="2"} 4',
    ])
    measures.onProgress('chain-a', progressOf({ seq: 2 }))
    expect(await samplesNamed('stage_last')).to.deep.equal([
      'stage_last_success_timestamp_seconds{stage="chain-a",partition="2"} 9',
    ])
  })

  it('count on when a task starts again', async () => {
    for (const records of [10, 30, 5]) measures.onProgress('chain-a', progressOf({ records }))
    expect(await samplesNamed('stage_records')).to.deep.equal(['stage_records_total{stage="chain-a",partition="2"} 35'])
  })

  it('forget the partitions that another worker has taken', async () => {
    for (const partition of [0, 1]) measures.onProgress('chain-a', progressOf({ partition }))
    measures.onProgress('chain-b', progressOf({ partition: 0 }))
    measures.forget('chain-a', [0])
    expect(await samplesNamed('stage_tokens')).to.deep.equal([
      'stage_tokens{stage="chain-a",partition="1"} 5',
      'stage_tokens{stage="chain-b",partition="0"} 5',
    ])
  })
})
