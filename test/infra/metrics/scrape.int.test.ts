import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { definitionOf, type MetricName, metricList } from '../../../infra/metrics/list.ts'
import { freePorts } from '../../../infra/ports.ts'
import { type RunningProgram, startProgram } from '../../support/programs.ts'
import { hasPromtool, promtool } from '../../support/promtool.ts'
import { type Sample, samplesIn } from './samples-in.ts'

describe('the metrics of a running service', () => {
  let dataDir: string
  let program: RunningProgram | undefined
  let base: string
  let publicBase: string
  let samples: readonly Sample[]
  let text: string

  const scrape = async () => {
    text = await (await fetch(`${base}/metrics`)).text()
    samples = samplesIn(text)
  }
  const valuesOf = (name: MetricName) => samples.filter((sample) => sample.name === name)

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-metrics-'))
    const [port, metricsPort] = await freePorts(2)
    base = `http://127.0.0.1:${metricsPort}`
    publicBase = `http://127.0.0.1:${port}`
    program = startProgram('up', {
      ...{ PORT: String(port), METRICS_PORT: String(metricsPort), DATA_DIR: dataDir, SIMULATOR_LOOK_BACK_HOURS: '1' },
    })
    await program.until(/^Try: /m)
    while ((await fetch(`${base}/readyz`)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 250))
    await fetch(`${publicBase}/v1/rh/bursts/live`)
    const isComplete = () => (Object.keys(metricList) as MetricName[]).every((name) => text.includes(`\n${name}`))
    do await scrape()
    while (!isComplete())
  })
  after(async () => {
    await program?.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  it('are exactly those of the list, with the labels of the list', () => {
    const exported = new Set(samples.map(({ family }) => family))
    expect([...exported].sort()).to.deep.equal(Object.keys(metricList).sort())
    for (const { family, labels } of samples) {
      const { labels: own, type } = definitionOf(family)
      const { le, ...others } = labels
      expect(Object.keys(others).sort(), family).to.deep.equal([...own, 'program'].sort())
      expect(le === undefined || type === 'histogram', family).to.equal(true)
    }
  })

  it('come from every thread', () => {
    const threads = valuesOf('launch_data_program_up').map(({ labels, value }) => [
      labels.program,
      labels.thread,
      value,
    ])
    expect(threads).to.deep.equal([
      ['serve', 'main', 1],
      ['ingest', '0', 1],
      ['process', '0', 1],
      ['process', '1', 1],
      ['project', '0', 1],
    ])
  })

  it('have plausible values in base units', () => {
    const nowSec = Date.now() / 1000
    const within = (name: MetricName, least: number, most: number) => {
      for (const { value, labels } of valuesOf(name))
        expect(value, `${name} ${JSON.stringify(labels)}`).to.be.within(least, most)
    }
    for (const name of Object.keys(metricList) as MetricName[])
      if (name.endsWith('_timestamp_seconds')) within(name, nowSec - 600, nowSec + 1)
    within('launch_data_stage_lag_seconds', 0, 600)
    within('launch_data_projection_lag_seconds', 0, 600)
    within('launch_data_ingest_tick_age_seconds', 0, 600)
    within('launch_data_cut_age_seconds', 0, 600)
    within('launch_data_data_age_seconds', 0, 2 * 3_600)
    within('launch_data_heap_used_bytes', 1e6, 1e9)
    within('launch_data_log_bytes', 1, 1e9)
    within('launch_data_ready', 1, 1)
    within('launch_data_payments_live', 1, 1)
    const partitions = valuesOf('launch_data_stage_lag_seconds').map(
      ({ labels }) => `${labels.stage}/${labels.partition}`,
    )
    expect(partitions.sort()).to.deep.equal([
      ...[0, 1, 2, 3].map((partition) => `chain-a/${partition}`),
      ...[0, 1, 2, 3].map((partition) => `chain-b/${partition}`),
      'chats/0',
    ])
  })

  it('count a request by its route, and the probes on the public port', async () => {
    expect((await fetch(`${publicBase}/livez`)).status).to.equal(200)
    expect((await fetch(`${publicBase}/readyz`)).status).to.equal(200)
    await scrape()
    const counted = valuesOf('launch_data_http_requests_total').map(({ labels }) => `${labels.route} ${labels.status}`)
    expect(counted).to.include.members(['/livez 200', '/readyz 200'])
    // The route refuses to sell while the service is behind.
    expect(counted.join(', ')).to.match(/\/v1\/rh\/bursts\/live (402|503)\b/)
  })

  if (hasPromtool)
    it('satisfy promtool', () => {
      expect(promtool(['check', 'metrics'], text)).to.equal('')
    })

  it('are off for a second service with the same port, which runs on', async () => {
    const otherDir = await mkdtemp(join(tmpdir(), 'launch-data-metrics-'))
    const other = startProgram('up', {
      ...{ PORT: '0', METRICS_PORT: new URL(base).port, DATA_DIR: otherDir, SIMULATOR_LOOK_BACK_HOURS: '1' },
    })
    try {
      await other.until(/^Try: /m)
      expect(other.stderr()).to.contain('is in use by another program. The service runs without metrics')
    } finally {
      await other.stop()
      await rm(otherDir, { recursive: true, force: true })
    }
  })
})
