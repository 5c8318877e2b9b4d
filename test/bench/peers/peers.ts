/**
 * `npm run bench:peers [-- swaps]`: the runtime on Kafka, exactly once, on a job that stream processors are measured with
 * too. Outputs are compared with a brute-force oracle's: a run whose set differs does not count, and ends this with 1.
 *
 * Alone: on a broker of our own, beside what plain kafkajs takes to read and decode the same records, and to echo them.
 * With `PEERS_DIR`, a folder whose `run.sh` measures the same job on Kafka Streams and Flink: on its broker, over its
 * topic, beside its rows. All take turns, so that a slow spell of the machine hits all of them.
 */
import { cpus } from 'node:os'
import { startKafka } from '../../../infra/development/kafka/cluster.ts'
import { count, median } from '../rounds.ts'
import { createTopic, type Latency, measureLatency, runOurs, runPlain, type Throughput, type Topic } from './measure.ts'
import { expectedOutputs } from './oracle.ts'
import { openPeers, type Peers } from './peers-folder.ts'
import { publish } from './publish.ts'
import { lastTickAtMs, swapsOf, type Workload } from './workload.ts'

const rounds = 3
const market = { perSecond: 2000, pools: 20_000, seed: 42 } as const
const streamsRow = 'ks-eos-t1'
const flinkRow = 'flink-eos-p1'
const oursRow = 'ours, exactly once'
const snapshotsRow = 'ours, a snapshot a second'
const plainRow = 'kafkajs, read and decode'

const swaps = Number(process.argv[2] ?? 2_000_000)
const throughputWorkload: Workload = { ...market, swaps, bursts: 200, tailMs: 1_801_000 }
/** Many bursts, and no time for scores; as many swaps as the peers take, and less only where less was asked for. */
const pacedSwaps = Math.min(160_000, Math.max(60_000, swaps))
const pacedWorkload: Workload = { ...market, swaps: pacedSwaps, bursts: pacedSwaps / 160, tailMs: 1000 }

const expectedOf = (workload: Workload) => expectedOutputs(swapsOf(workload), lastTickAtMs(workload))

let hasFailed = false

const results = new Map<string, Throughput[]>()

function note(name: string, result: Throughput): void {
  results.set(name, [...(results.get(name) ?? []), result])
  refuse(name, result.difference)
}

function refuse(name: string, difference: string | null): void {
  if (difference === null) return
  hasFailed = true
  console.log(`  ${name}: does not count, its outputs differ: ${difference}`)
}

async function compete(topic: Topic, expected: Peers['expected'], peers: Peers | null): Promise<void> {
  // The first round of each is not counted.
  const { records } = await runPlain(topic)
  await runOurs({ ...topic, records, expected })
  console.log(`${count(records)} records; facts/s, the median of ${rounds} rounds:`)
  for (let round = 0; round < rounds; round++) {
    note(oursRow, await runOurs({ ...topic, records, expected }))
    note(snapshotsRow, await runOurs({ ...topic, records, expected }, 'ours-snapshots'))
    note(plainRow, await runPlain(topic))
    for (const [name, result] of (await peers?.throughput([streamsRow, flinkRow])) ?? []) note(name, result)
  }
  const ours = rateOf(oursRow)
  for (const [name, its] of results) {
    const rates = its.map(({ perSecond }) => perSecond).sort((left, right) => left - right)
    const cpu = median(its.map(({ cpuSecondsPerMillion }) => cpuSecondsPerMillion)).toFixed(2)
    const range = `${count(rates[0] ?? Number.NaN)} to ${count(rates.at(-1) ?? Number.NaN)}`
    const ratio = name === oursRow ? '' : `ours ${(ours / rateOf(name)).toFixed(2)} x${aims.get(name) ?? ''}`
    console.log(
      `  ${name.padEnd(26)}${count(median(rates)).padStart(9)}/s   ${range.padEnd(19)}   ${cpu} CPU s per million   ${ratio}`,
    )
  }
}

const rateOf = (name: string): number => median((results.get(name) ?? []).map(({ perSecond }) => perSecond))

const aims = new Map([
  [plainRow, ' (aim 0.8)'],
  [streamsRow, ' (aim 1.3)'],
  [flinkRow, ' (aim 0.4)'],
])

async function compareLatency(brokers: string, peers: Peers | null): Promise<void> {
  console.log(`\n${count(market.perSecond)} swaps/s, ms from the event to its derived record in a consumer's hands:`)
  const paced = { brokers, workload: pacedWorkload }
  const expected = expectedOf(pacedWorkload)
  const rows = new Map<string, Latency[]>()
  const noteAll = (latencies: readonly Latency[]) => {
    for (const latency of latencies) rows.set(latency.name, [...(rows.get(latency.name) ?? []), latency])
  }
  for (let round = 0; round < rounds; round++) {
    const ours = await measureLatency('ours', { ...paced, expected })
    noteAll([ours.ofSwap, ours.ofTick])
    // Flink's is the second between its checkpoints: once is enough.
    noteAll((await peers?.latency(round === 0 ? [streamsRow, flinkRow] : [streamsRow])) ?? [])
    noteAll([(await measureLatency('echo', { ...paced, expected: null })).ofSwap])
  }
  for (const [name, its] of rows) print(name, its)
  const p99Of = (name: string) => median((rows.get(name) ?? []).map(({ p99Ms }) => p99Ms))
  const ofEcho = (since: string) => (p99Of(`ours, ${since}`) / p99Of('echo, from the swap')).toFixed(1)
  console.log(`  p99: ${ofEcho('from the swap')} x echo, from its tick ${ofEcho('from its tick')} x (aim at most 3)`)
}

/** Medians of the rounds, and the range of what was worst. */
function print(name: string, its: readonly Latency[]): void {
  const p99s = its.map(({ p99Ms }) => p99Ms).sort((left, right) => left - right)
  const fires = count(median(its.map((latency) => latency.count)))
  const p50 = median(its.map(({ p50Ms }) => p50Ms))
  console.log(`  ${name.padEnd(28)} p50 ${p50}   p99 ${median(p99s)} (${p99s[0]} to ${p99s.at(-1)})   of ${fires}`)
  for (const { difference } of its) refuse(name, difference)
}

async function besidePeers(dir: string): Promise<void> {
  const peers = await openPeers(dir, swaps)
  await compete(peers, peers.expected, peers)
  await compareLatency(peers.brokers, peers)
}

async function alone(): Promise<void> {
  const kafka = await startKafka({ report: (line) => console.error(line) })
  try {
    const topic = { brokers: kafka.brokers, topic: 'peer-swaps' }
    await createTopic(topic.brokers, topic.topic)
    const published = await publish(topic.brokers, topic.topic, throughputWorkload)
    console.log(`${count(published)} records published`)
    await compete(topic, expectedOf(throughputWorkload), null)
    await compareLatency(kafka.brokers, null)
  } finally {
    await kafka.stop()
  }
}

console.log(`${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}`)
const peersDir = process.env.PEERS_DIR
if (peersDir === undefined)
  console.log(
    'our rows alone: with PEERS_DIR=<folder>, one whose run.sh knows setup, broker, gen, bench and latency, those of Kafka Streams and Flink stand beside them',
  )
await (peersDir === undefined ? alone() : besidePeers(peersDir))
process.exitCode = hasFailed ? 1 : 0
