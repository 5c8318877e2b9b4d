/**
 * `npm run bench [-- part…] [hours]`: all parts, or those named, each beside its baseline. Read the ratios: absolute figures
 * move with the machine.
 *
 *   stage    the whole chain A stage over a log (simulated market of so many hours, embedded log), as a backfill and with
 *            as many snapshots as following that market live takes, beside what the same machine takes to decode the same
 *            records and to scan their bytes; the same without calls and desk; and what a pool and a curve weigh in its state
 *   curves   the same of the whole chain B stage, and what a mint weighs in its state
 *   rows     from the append of a tick to its rows in the tables at 2,000 swaps/s, beside reading it from the log again
 *   stream   from a tick in the log to the bytes at 1,000 clients of the stream, beside a bare fan-out of as many bytes
 *   answers  from the fact to the answer that holds it, on the running service, point by point, at two grids of cuts
 *   cuts     queries, CPU time and read rows of an answer at a new cut about a random subject, of every data route, over 14 days
 *   asof     an answer as of an instant of the last hours, beside the same question at the newest cut, of every data route
 *   replay   `replay --speed max` over facts of chain A, from code and as the command, beside the stage's backfill of them, and beside
 *            decoding and scanning them
 *   push     from a block of a local node to its facts, when the node announces it, beside polling
 *   paid     a paid answer of the whole service in a fresh process, then of the gate alone, each beside a bare Koa route
 *            that sends as many bytes
 *   express  paid answers a second of the gate on Koa with its durable ledger, beside the official middleware for Express with
 *            the same facilitator, and beside a bare Koa route, each in a fresh process
 *   faulty   what a node costs that fails 5, 20 and 40 % of its requests, beside one that never fails
 *   faulty-b the same of chain B, from a plain node and from Helius, a tenth of what fails never answered; and how long a first
 *            start takes to be fresh beside 20 %
 *   forged   how long a buyer waits beside a storm of forged payments, and beside none
 *   unpaid   404s of what is tracked nowhere beside a bare Koa route, and how long a buyer waits beside floods of them
 *   costs    the CPU time of each thing that a caller can make the service do without paying
 *   trades   facts of chain B's trade events, beside reading the same fields by hand; and from whole transactions
 *   repairs  a restatement of chain B with trades that were missing, 60 s deep, beside the same 60 s without one
 *   hourly   a rebuild of chain B's list of leaders and the answer about one wallet, beside the least that reads as many rows
 *   restart  the whole service in a fresh process with 20,000 live pools, with snapshots 120 s old and with none, beside
 *            a bare Koa route
 *
 * What each part leaves out is told in `infra/docs/benchmarks.md`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { OperationError } from '../../infra/errors.ts'
import { measureLatency } from './answers/answer-latency.ts'
import { measureAsOf } from './answers/as-of.ts'
import { measureNewCuts } from './answers/new-cuts.ts'
import { measureProjectionLatency } from './answers/projection-latency.ts'
import { measureRestart } from './answers/restart-time.ts'
import { type BenchMarketName, benchMarkets } from './bench-markets.ts'
import { partitions, writeFacts } from './fact-log.ts'
import { measureFaultyChainB } from './ingest/faulty-chain-b.ts'
import { measureFaultyNode } from './ingest/faulty-node.ts'
import { measureBesideExpress } from './payments/beside-express.ts'
import { measureForgedPayments } from './payments/forged-payments.ts'
import { measureGate } from './payments/paid-answers.ts'
import { measurePaidService } from './payments/paid-service.ts'
import { measureUnpaidCosts } from './payments/unpaid-costs.ts'
import { measureUnpaidQuestions } from './payments/unpaid-questions.ts'
import { count } from './rounds.ts'
import { measureDecoding } from './stage/decode-trades.ts'
import { measureHourlyProducts } from './stage/hourly-products.ts'
import { measureCurveMemory, measureStateMemory } from './stage/pool-memory.ts'
import { measureRepairs } from './stage/repair-cost.ts'
import { measureReplay } from './stage/replay-speed.ts'
import { measureStage } from './stage/stage-throughput.ts'
import { measurePush } from './stream/push-latency.ts'
import { measureStreamLatency } from './stream/stream-latency.ts'

type Part = (bench: Readonly<{ dataDir: string; hours: number }>) => Promise<void>

const rounds = 3
const hoursDefault = 12

type StageBench = Readonly<{ dataDir: string; hours: number; aim: string }>

async function measureStageOf(marketName: BenchMarketName, { dataDir, hours, aim }: StageBench): Promise<void> {
  const market = benchMarkets[marketName]
  const facts = await writeFacts(dataDir, hours, market)
  console.log(
    `${count(facts)} facts, ${hours} h of a simulated market in ${partitions.length} partitions, one thread; facts/s, the median of ${rounds} rounds after one to warm up:`,
  )
  await measureStage({ dataDir, facts, rounds, marketName })
  await measureStateMemory(dataDir, market, aim)
}

const parts: Readonly<Record<string, Part>> = {
  stage: async ({ dataDir, hours }) => {
    await measureStageOf('chain-a', { dataDir, hours, aim: '; aim <= 60' })
    await measureCurveMemory()
  },
  curves: ({ dataDir, hours }) => measureStageOf('chain-b', { dataDir, hours, aim: '' }),
  rows: ({ dataDir }) => measureProjectionLatency({ dataDir, seconds: 20 }),
  stream: ({ dataDir }) => measureStreamLatency({ dataDir, seconds: 20, connections: 1000 }),
  answers: ({ dataDir }) => measureLatency({ dataDir, seconds: 15 }),
  cuts: ({ dataDir }) => measureNewCuts(dataDir),
  asof: ({ dataDir }) => measureAsOf(dataDir),
  replay: ({ dataDir, hours }) => measureReplay(dataDir, hours),
  push: () => measurePush(),
  paid: async ({ dataDir }) => {
    await measurePaidService(join(dataDir, 'service'))
    await measureGate(join(dataDir, 'gate'))
  },
  express: ({ dataDir }) => measureBesideExpress(dataDir),
  faulty: () => measureFaultyNode(),
  'faulty-b': () => measureFaultyChainB(),
  forged: ({ dataDir }) => measureForgedPayments(dataDir),
  unpaid: ({ dataDir }) => measureUnpaidQuestions(dataDir),
  costs: ({ dataDir }) => measureUnpaidCosts(dataDir),
  trades: () => measureDecoding(rounds),
  repairs: ({ dataDir }) => measureRepairs(dataDir),
  hourly: ({ dataDir }) => measureHourlyProducts(dataDir),
  restart: ({ dataDir }) => measureRestart(dataDir),
}

const words = process.argv.slice(2)
const named = words.filter((word) => !Number.isFinite(Number(word)))
const hours = Number(words.find((word) => Number.isFinite(Number(word))) ?? hoursDefault)
const folder = await mkdtemp(join(tmpdir(), 'launch-data-bench-'))
try {
  console.log(`${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}`)
  for (const name of named.length > 0 ? named : Object.keys(parts)) {
    const measure = parts[name]
    if (!measure) throw new OperationError('config_invalid', `no part of the bench is named ${name}`)
    console.log(`\n${name}`)
    await measure({ dataDir: join(folder, name), hours })
    await rm(join(folder, name), { recursive: true, force: true })
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
