import { expect } from 'chai'
import { createMetrics, noMetrics } from '../../../infra/metrics/metrics.ts'

describe('the metrics of a thread', () => {
  const only = async (metrics: ReturnType<typeof createMetrics>) => {
    const [reading] = await metrics.readings()
    return reading?.values
  }

  it('are read at each scrape, and carry the program', async () => {
    const metrics = createMetrics('serve')
    let clients = 1
    metrics.read('launch_data_stream_clients', () => [[clients, {}]])
    expect(await only(metrics)).to.deep.equal([{ value: 1, labels: { program: 'serve' } }])
    clients = 7
    expect(await only(metrics)).to.deep.equal([{ value: 7, labels: { program: 'serve' } }])
  })

  it('may be read asynchronously', async () => {
    const metrics = createMetrics('serve')
    metrics.read('launch_data_cut_age_seconds', async () => [[2.5, { stage: 'chain-a' }]])
    expect(await only(metrics)).to.deep.equal([{ value: 2.5, labels: { program: 'serve', stage: 'chain-a' } }])
  })

  it('leave out a metric that fails or is never read, and serve the others', async () => {
    const metrics = createMetrics('serve')
    metrics.read('launch_data_ready', () => {
      throw new RangeError('not now')
    })
    metrics.read('launch_data_cut_age_seconds', () => new Promise(() => {}))
    metrics.read('launch_data_stream_clients', () => [[3, {}]])
    const values = new Map((await metrics.readings()).map(({ name, values: its }) => [name, its]))
    expect(values.get('launch_data_ready')).to.deep.equal([])
    expect(values.get('launch_data_cut_age_seconds')).to.deep.equal([])
    expect(values.get('launch_data_stream_clients')).to.have.lengthOf(1)
  })

  it('refuse to be registered twice', () => {
    const metrics = createMetrics('serve')
    metrics.read('launch_data_ready', () => [])
    expect(() => metrics.read('launch_data_ready', () => [])).to.throw('registered twice')
  })

  it('count values in cumulative buckets, where a value that equals a bound is below it', async () => {
    const metrics = createMetrics('ingest')
    const observe = metrics.observer('launch_data_gc_duration_seconds')
    for (const seconds of [0.001, 0.002, 0.1, 9]) observe(seconds, { thread: 0, kind: 'minor' })
    observe(1, { thread: 0, kind: 'major' })
    const values = (await only(metrics)) ?? []
    const ofKind = values.filter(({ labels }) => labels.kind === 'minor')
    const buckets = ofKind.flatMap(({ labels, value }) => (labels.le === undefined ? [] : [[labels.le, value]]))
    expect(buckets).to.deep.equal([
      ...[
        [0.001, 1],
        [0.005, 2],
        [0.02, 2],
        [0.1, 3],
        [0.5, 3],
        [2, 3],
        ['+Inf', 4],
      ],
    ])
    const named = (name: string) =>
      ofKind.find(({ metricName }) => metricName === `launch_data_gc_duration_seconds${name}`)
    expect(named('_count')?.value).to.equal(4)
    expect(named('_sum')?.value).to.be.closeTo(9.103, 1e-9)
  })

  it('cost nothing if nobody can scrape them', () => {
    noMetrics.read('launch_data_ready', () => {
      throw new RangeError('must not be called')
    })
    noMetrics.observer('launch_data_gc_duration_seconds')(1, { thread: 0, kind: 'minor' })
  })
})
