/**
 * Tests the programs in separate processes on a cluster. Each program can stop, be replaced, or lose the
 * cluster for a while.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { runPay } from '../../../infra/command-line/pay.ts'
import { type LocalKafka, startKafka } from '../../../infra/development/kafka/cluster.ts'
import { freePorts } from '../../../infra/ports.ts'
import { topics } from '../../../schemas/topics.ts'
import { type HttpEngine, serveEngineOverHttp } from '../../support/clickhouse-over-http.ts'
import { closeAll } from '../../support/close-all.ts'
import { type RunningProgram, startProgram } from '../../support/programs.ts'
import { samplesIn } from '../metrics/samples-in.ts'

type Health = Readonly<{ data: Readonly<{ generatedAt: number | null; ageSec: number | null }> | null }>

const second = 1000
/** The time limit for actions that take some seconds on a machine without other load. */
const patienceMs = 150 * second

describe('programs apart', () => {
  let dataDir: string
  let kafka: LocalKafka
  let engine: HttpEngine
  let environment: Record<string, string>
  let baseUrl: string
  const running = new Map<string, RunningProgram>()
  /** All started programs, also those that were replaced. */
  const started: RunningProgram[] = []

  const workers = ['first worker', 'second worker']
  /** The metrics ports of the programs that start first. Programs that replace them export no metrics. */
  const metricsPorts = new Map<string, number>()
  const metricsOf = async (as: string) =>
    samplesIn(await (await fetch(`http://127.0.0.1:${metricsPorts.get(as)}/metrics`)).text())
  const partitionsOf = async (as: string) =>
    (await metricsOf(as))
      .filter(({ name, labels }) => name === 'launch_data_stage_lag_seconds' && labels.stage === 'chain-a')
      .map(({ labels }) => labels.partition)

  const start = (name: string, as = name, its = environment) => {
    const program = startProgram(name, { ...its, METRICS_PORT: String(metricsPorts.get(as) ?? 0) })
    started.push(program)
    running.set(as, program)
    return program
  }
  const the = (as: string): RunningProgram => {
    const program = running.get(as)
    if (program === undefined) throw new TypeError(`${as} does not run`)
    return program
  }
  const everything = () => [...running.values()].map((program) => program.stderr()).join('\n')

  /**
   * Waits for an answer that is newer than this call, and whose data is less than 15 s old. Fails if no newer
   * data comes for `limitMs`. The whole wait has no limit, because the time for a simulated day depends on
   * the machine.
   */
  const untilFresh = async (limitMs = patienceMs) => {
    const sinceMs = Date.now()
    for (let newestAtMs = 0, cameAtMs = sinceMs; ; ) {
      const { data } = (await (await fetch(`${baseUrl}/health`)).json()) as Health
      const { generatedAt, ageSec } = data ?? { generatedAt: 0, ageSec: null }
      if (Number(generatedAt) > sinceMs && Number(ageSec) < 15) return
      if (Number(generatedAt) > newestAtMs) [newestAtMs, cameAtMs] = [Number(generatedAt), Date.now()]
      if (Date.now() > cameAtMs + limitMs)
        expect.fail(`nothing newer in ${limitMs} ms: ${JSON.stringify(data)}\n${everything()}`)
      await sleep(250)
    }
  }

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-apart-'))
    kafka = await startKafka({ withRegistry: true })
    engine = await serveEngineOverHttp(join(dataDir, 'clickhouse-server'))
    const [port = 0] = await freePorts(1)
    baseUrl = `http://127.0.0.1:${port}`
    environment = {
      DATA_DIR: dataDir,
      PORT: String(port),
      KAFKA_BROKERS: kafka.brokers,
      KAFKA_SESSION_MS: '6000',
      SCHEMA_REGISTRY_URL: kafka.registryUrl ?? '',
      CLICKHOUSE_URL: engine.url,
      STAGE_THREADS: '1',
      SIMULATOR_LOOK_BACK_HOURS: '1',
    }
    const measured = ['ingest', 'project', 'serve', ...workers]
    for (const [index, metricsPort] of (await freePorts(measured.length)).entries())
      metricsPorts.set(String(measured[index]), metricsPort)
    // All programs start at the same time, so none of them finds topics, schemas or tables.
    for (const name of ['ingest', 'project', 'serve']) start(name)
    // The threads of one process share its port.
    start('process', 'first worker', { ...environment, STAGE_THREADS: '2' })
    start('process', 'second worker')
    await the('serve').until(/Launch Data Service on /)
    await untilFresh()
  })
  after(async () => {
    for (const program of started) program.kill('SIGKILL')
    await closeAll(engine?.close, kafka?.stop, () => rm(dataDir, { recursive: true, force: true }))
  })

  // On a busy machine, a broker may take longer than the 5 s that the doctor waits. So the doctor is asked again.
  it('finds nothing wrong when asked', async () => {
    const topicCount = Object.keys(topics).length
    const doctor = startProgram('doctor', environment)
    expect(await doctor.done, doctor.stdout()).to.include({ code: 0 })
    expect(doctor.stdout())
      .to.match(new RegExp(`^ok +topics +${topicCount} of ${topicCount}`, 'm'))
      .and.to.match(/^ok +registry +.*(\d+) of \1 schemas/m)
  }).retries(3)

  it('exports the metrics of each program on its own port', async () => {
    const exported = async (as: string) => new Set((await metricsOf(as)).map(({ family }) => family))
    // A program has no age of its data while a busy machine is late. It can be late again right after it was fresh,
    // so the test is repeated.
    await untilFresh()
    expect(await exported('ingest'))
      .to.include('launch_data_ingest_block_age_seconds')
      .and.to.not.include('launch_data_cut_age_seconds')
    expect(await exported('project')).to.include('launch_data_projection_lag_seconds')
    expect(await exported('serve'))
      .to.include('launch_data_cut_age_seconds')
      .and.to.not.include('launch_data_log_bytes')
    const threads = (await metricsOf('first worker')).filter(({ name }) => name === 'launch_data_program_up')
    expect(threads.map(({ labels, value }) => [labels.thread, value])).to.deep.equal([
      ['main', 1],
      ['0', 1],
      ['1', 1],
    ])
    const partitions = (await Promise.all(workers.map(partitionsOf))).flat()
    expect(partitions.sort()).to.deep.equal(['0', '1', '2', '3'])
    for (const port of metricsPorts.values())
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).to.equal(200)
  }).retries(3)

  it('goes on without a worker that was killed', async () => {
    the('first worker').kill('SIGKILL')
    running.delete('first worker')
    await the('second worker').until(/"partitions":\[0,1,2,3\]/)
    await untilFresh()
    expect((await partitionsOf('second worker')).sort()).to.deep.equal(['0', '1', '2', '3'])
  })

  it('goes on after the broker was away', async () => {
    await kafka.stopBroker(0, 'SIGKILL')
    await sleep(5 * second)
    await kafka.startBroker(0)
    await untilFresh()
    for (const [as, program] of running) expect(await isRunning(program), `${as}: ${program.stderr()}`).to.equal(true)
  })

  it('leaves the chain to a second ingest, and says so', async () => {
    const first = the('ingest')
    start('ingest')
    await endsWith1(first)
    expect(first.stderr()).to.contain('another ingest of chain-a started and fenced this process')
    await untilFresh()
  })

  it('leaves the selling to a second serve, and says so', async () => {
    const first = the('serve')
    const [port = 0] = await freePorts(1)
    const second = start('serve', 'serve', { ...environment, PORT: String(port) })
    await second.until(/Launch Data Service on /)
    const path = '/v1/rh/pools/new?hours=1'
    const buyFrom = (url: string) => pay(url, path)
    // The first process is fenced, so it cannot record the sale. Therefore it refuses the payment.
    expect(await buyFrom(baseUrl)).to.equal('payment_failed')
    await endsWith1(first)
    expect(first.stderr()).to.contain(
      'another "launch-data serve" opened the payment ledger, which fenced this process',
    )
    // On a busy machine the facilitator may be late. Then nothing is charged, and the client repeats the request.
    while ((await buyFrom(`http://127.0.0.1:${port}`)) !== 'paid') await sleep(500)
  })

  it('ends at SIGTERM before it has found anything to do', async () => {
    const early = start('process', 'early')
    await early.until(/has started/)
    await early.stop()
    running.delete('early')
  })

  it('ends at SIGTERM', async () => {
    for (const program of running.values()) await program.stop()
    running.clear()
  })
})

/**
 * Expects that the program ends by itself with exit code 1. The failure message contains the program's
 * output, which a timeout of the test would not show.
 */
async function endsWith1(program: RunningProgram): Promise<void> {
  const ending = await Promise.race([program.done, sleep(patienceMs, null, { ref: false })])
  expect(ending, program.stderr()).to.include({ code: 1 })
}

const isRunning = (program: RunningProgram): Promise<boolean> =>
  Promise.race([program.done.then(() => false), sleep(0).then(() => true)])

async function pay(baseUrl: string, path: string): Promise<string> {
  const print = () => {}
  const wallet = { privateKey: null, rpcUrl: null }
  const options = { network: 'evm', isFull: false, isVerbose: false, isReal: false } as const
  return runPay({ baseUrl, path, ...options, wallet, print }).then(
    () => 'paid',
    (error: Readonly<{ code: string }>) => error.code,
  )
}
