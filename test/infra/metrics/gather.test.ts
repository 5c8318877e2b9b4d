import { expect } from 'chai'
import { gather, metricsText } from '../../../infra/metrics/gather.ts'
import { createMetrics } from '../../../infra/metrics/metrics.ts'

const ingest = createMetrics('ingest')
ingest.read('launch_data_ingest_facts_total', () => [[5, { stage: 'chain-a' }]])
const lively = { program: 'ingest', thread: 0, readings: ingest.readings }
const busy = { program: 'project', thread: 0, readings: () => new Promise<never>(() => {}) }
const failing = { program: 'process', thread: 1, readings: () => Promise.reject(new RangeError('gone')) }

describe('the metrics of a process', () => {
  it('are those of all threads that answer in time, and name the others', async () => {
    const text = await metricsText(await gather([lively, busy, failing], 20))
    const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(samples).to.deep.equal([
      'launch_data_program_up{program="ingest",thread="0"} 1',
      'launch_data_program_up{program="project",thread="0"} 0',
      'launch_data_program_up{program="process",thread="1"} 0',
      'launch_data_ingest_facts_total{program="ingest",stage="chain-a"} 5',
    ])
    expect(text).to.contain('# TYPE launch_data_ingest_facts_total counter')
  })

  it('describe a metric one time, although several threads export it', async () => {
    const threads = ['0', '1'].map((thread) => {
      const metrics = createMetrics('process')
      metrics.read('launch_data_heap_used_bytes', () => [[1, { thread }]])
      return { program: 'process', thread, readings: metrics.readings }
    })
    const text = await metricsText(await gather(threads, 1000))
    expect(text.split('# HELP launch_data_heap_used_bytes')).to.have.lengthOf(2)
    expect(text.match(/^launch_data_heap_used_bytes\{.*\} 1$/gm)).to.have.lengthOf(2)
  })

  it('escape the values of labels', async () => {
    const metrics = createMetrics('serve')
    metrics.read('launch_data_build_info', () => [[1, { version: 'a"b\\c', node: 'v20' }]])
    const text = await metricsText(await gather([{ program: 'serve', thread: 'main', readings: metrics.readings }]))
    expect(text).to.contain('version="a\\"b\\\\c"')
  })
})
