import { expect } from 'chai'
import { createMetrics } from '../../../infra/metrics/metrics.ts'
import { measureProjections } from '../../../projections/sink/measure-projections.ts'
import { samplesOf } from '../../support/metric-samples.ts'

describe('the metrics of projections', () => {
  it('are the lag of each partition, and the work of each stage', async () => {
    let nowMs = 5_000
    const metrics = createMetrics('project')
    const measure = measureProjections(metrics, () => nowMs)
    const first = {
      rowCount: 4,
      partitions: [
        { partition: 0, knownAtMs: 3_000 },
        { partition: 1, knownAtMs: 2_000 },
      ],
    }
    measure(first, 'chain-a')
    nowMs = 6_000
    measure({ rowCount: 1, partitions: [{ partition: 0, knownAtMs: 5_500 }] }, 'chain-a')
    expect(await samplesOf(metrics)).to.deep.equal([
      'projection_lag_seconds{stage="chain-a",partition="0"} 0.5',
      'projection_lag_seconds{stage="chain-a",partition="1"} 4',
      'projection_last_success_timestamp_seconds{stage="chain-a"} 6',
      'projection_rows_total{stage="chain-a"} 5',
      'projection_batches_total{stage="chain-a"} 2',
    ])
  })
})
