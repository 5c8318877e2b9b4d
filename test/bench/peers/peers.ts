/**
 * `npm run bench:peers [-- part…] [swaps]`: measures the runtime on Kafka with exactly-once processing.
 * Runs all parts, or only those that are named:
 *
 *   throughput  a job that other stream processors run too, as fast as possible; one snapshot per second,
 *               which is also the interval of Flink's checkpoints
 *   latency     the same job at 2,000 swaps per second, with the same snapshots
 *   product     the service's own stage of chain A over 12 hours of simulated trades; about ten times the
 *               work of the job
 *
 * The job's outputs are compared with those of a brute-force computation. If they differ, the run does not
 * count, and the exit code is 1.
 *
 * By default, the runtime is measured on a broker of our own. For comparison, plain kafkajs reads and decodes
 * the same records, and echoes them. If `PEERS_DIR` names a folder, its `run.sh` measures the same job on
 * Kafka Streams and Flink. Then all engines use the broker and topic of that folder. The engines take turns,
 * so that a slow phase of the machine affects all of them. Not measured: several brokers, replication, a
 * network, the starts, and the recovery after a crash.
 */
import { cpus } from 'node:os'
import { startKafka } from '../../../infra/development/kafka/cluster.ts'
import { count, median } from '../rounds.ts'
import { createTopic, type Latency, measureLatency, runOurs, runPlain, type Throughput, type Topic } from './measure.ts'
import { expectedOutputs } from './oracle.ts'
import { openPeers, type Peers } from './peers-folder.ts'
import { printRows } from './print-rows.ts'
import { measureProduct } from './product.ts'
import { publish } from './publish.ts'
import { lastTickAtMs, swapsOf, type Workload } from './workload.ts'

const rounds = 3
const market = { perSecond: 2000, pools: 20_000, seed: 42 } as const
const streamsRow = 'ks-eos-t1'
/** With a parallelism of 1, Flink is faster on two cores than with 2, because its source and sink have threads of their own. */
const flinkRow = 'flink-eos-p1'
const oursRow = 'ours, exactly once'
const oneRow = 'ours, one thread'
const withoutRow = 'ours, no snapshots'
const plainRow = 'kafkajs, read and decode'

const words = process.argv.slice(2)
const swaps = Number(words.find((word) => Number.isFinite(Number(word))) ?? 2_000_000)
const named = words.filter((word) => !Number.isFinite(Number(word)))
const isAsked = (part: 'throughput' | 'latency' | 'product'): boolean => named.length === 0 || named.includes(part)
const throughputWorkload: Workload = { ...market, swaps, bursts: 200, tailMs: 1_801_000 }
/**
 * The number of swaps in the latency part. The other stream processors use 160,000 swaps, and fewer can be
 * requested. The workload has many bursts, but ends too early for scores.
 */
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
  // These first runs only warm up. Their results do not count.
  const { records } = await runPlain(topic)
  await runOurs({ ...topic, records, expected })
  console.log(`${count(records)} records; facts/s, the median of ${rounds} rounds:`)
  for (let round = 0; round < rounds; round++) {
    note(oursRow, await runOurs({ ...topic, records, expected }))
    note(oneRow, await runOurs({ ...topic, records, expected }, 'ours-one'))
    note(withoutRow, await runOurs({ ...topic, records, expected }, 'ours-without'))
    note(plainRow, await runPlain(topic))
    for (const [name, result] of (await peers?.throughput([streamsRow, flinkRow])) ?? []) note(name, result)
  }
  printRows(results, { row: oursRow, aims })
}

const aims = new Map([
  [plainRow, ' (aim 0.8)'],
  [streamsRow, ' (aim 1.3)'],
  [flinkRow, ' (aim 1.5, at least 1.1)'],
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
    // Flink publishes outputs only at its checkpoints, 1 s apart. This interval determines its latency, so
    // one measurement is enough.
    noteAll((await peers?.latency(round === 0 ? [streamsRow, flinkRow] : [streamsRow])) ?? [])
    noteAll([(await measureLatency('echo', { ...paced, expected: null })).ofSwap])
  }
  for (const [name, its] of rows) print(name, its)
  const p99Of = (name: string) => median((rows.get(name) ?? []).map(({ p99Ms }) => p99Ms))
  const ofEcho = (since: string) => (p99Of(`ours, ${since}`) / p99Of('echo, from the swap')).toFixed(1)
  console.log(`  p99: ${ofEcho('from the swap')} x echo, from its tick ${ofEcho('from its tick')} x (aim at most 3)`)
}

/** Prints the medians of the rounds, and the range of the p99. */
function print(name: string, its: readonly Latency[]): void {
  const p99s = its.map(({ p99Ms }) => p99Ms).sort((left, right) => left - right)
  const fires = count(median(its.map((latency) => latency.count)))
  const p50 = median(its.map(({ p50Ms }) => p50Ms))
  console.log(`  ${name.padEnd(28)} p50 ${p50}   p99 ${median(p99s)} (${p99s[0]} to ${p99s.at(-1)})   of ${fires}`)
  for (const { difference } of its) refuse(name, difference)
}

async function besidePeers(dir: string): Promise<void> {
  const peers = await openPeers(dir, swaps)
  if (isAsked('throughput')) await compete(peers, peers.expected, peers)
  if (isAsked('latency')) await compareLatency(peers.brokers, peers)
}

async function alone(): Promise<void> {
  const kafka = await startKafka({ isMeasured: true, report: (line) => console.error(line) })
  try {
    if (isAsked('throughput')) await competeAlone(kafka.brokers)
    if (isAsked('latency')) await compareLatency(kafka.brokers, null)
  } finally {
    await kafka.stop()
  }
}

async function competeAlone(brokers: string): Promise<void> {
  const topic = { brokers, topic: 'peer-swaps' }
  await createTopic(topic.brokers, topic.topic)
  const published = await publish(topic.brokers, topic.topic, throughputWorkload)
  console.log(`${count(published)} records published`)
  await compete(topic, expectedOf(throughputWorkload), null)
}

console.log(`${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}`)
const peersDir = process.env.PEERS_DIR
if (peersDir === undefined)
  console.log(
    'our rows alone: with PEERS_DIR=<folder>, one whose run.sh knows setup, broker, gen, bench and latency, those of Kafka Streams and Flink stand beside them',
  )
if (isAsked('throughput') || isAsked('latency')) await (peersDir === undefined ? alone() : besidePeers(peersDir))
if (isAsked('product')) await measureProduct(rounds)
process.exitCode = hasFailed ? 1 : 0
