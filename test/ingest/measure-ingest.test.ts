import { expect } from 'chai'
import { createMetrics } from '../../infra/metrics/metrics.ts'
import { measureIngest } from '../../ingest/measure-ingest.ts'
import { samplesOf } from '../support/metric-samples.ts'

describe('the metrics of ingest', () => {
  it('are the facts, the time of the last range and the ages of block and tick, for each stage', async () => {
    let nowMs = 10_000
    const metrics = createMetrics('ingest')
    const measures = measureIngest(metrics, () => nowMs)
    expect(await samplesOf(metrics)).to.deep.equal([])
    measures.onTick('chain-a', { atMs: 7_000, knownAtMs: 9_000 })
    measures.onProgress('chain-a', { facts: 3 })
    measures.onProgress('chain-a', { facts: 4 })
    measures.onTick('chats', { atMs: 9_900, knownAtMs: 10_000 })
    nowMs = 12_500
    expect(await samplesOf(metrics)).to.deep.equal([
      'ingest_facts_total{stage="chain-a"} 7',
      'ingest_facts_total{stage="chats"} 0',
      'ingest_last_success_timestamp_seconds{stage="chain-a"} 10',
      'ingest_block_age_seconds{stage="chain-a"} 5.5',
      'ingest_block_age_seconds{stage="chats"} 2.6',
      'ingest_tick_age_seconds{stage="chain-a"} 3.5',
      'ingest_tick_age_seconds{stage="chats"} 2.5',
    ])
  })
})
