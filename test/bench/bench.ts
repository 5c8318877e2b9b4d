/**
 * Runs the benchmarks: `npm run bench [-- part…] [hours]`. Without names, all parts run. Each part is compared
 * with a baseline. Read the ratios, because absolute figures depend on the machine. For example,
 * `npm run bench -- stage 4` measures the stage over 4 hours of trades.
 *
 *   stage    The whole chain A stage over a log with this many hours of simulated trades (embedded log). It
 *            runs as a backfill, and with as many snapshots as in live operation. Compared with decoding
 *            the same records, and with scanning their bytes, on the same machine. Also without calls and
 *            paper desk, and the size of a pool and of a curve in the state.
 *   curves   The same for the whole chain B stage, and the size of a mint in the state.
 *   growth   The CPU time, memory and snapshots of the chain A stage with 200, 2,000 and 20,000 pools, and the
 *            CPU time of three answers. The number of swaps per pool is the same.
 *   rows     The time from the append of a tick to its rows in the tables at 2,000 swaps/s. Compared with
 *            reading the tick from the log again.
 *   stream   The time from a tick in the log to the bytes at 1,000 clients of the stream. Compared with
 *            sending as many bytes to as many clients.
 *   tape     The CPU time of the running service with 1,000 viewers of the front page. Compared with none.
 *   answers  The time from a fact to the answer that has it, on the running service, point by point. It is
 *            measured with two intervals between data times (cuts).
 *   cuts     The queries, CPU time and read rows of an answer at a new data time (cut). It is measured for
 *            every data route, for random tokens or wallets, with 14 days of data.
 *   asof     An answer for a time in the last hours. Compared with the same request for the newest data, for
 *            every data route.
 *   replay   `replay --speed max` over facts of chain A, from code and as the command. Compared with the
 *            stage's backfill of the same facts, and with decoding and scanning them.
 *   archive  Export and import of a day of each chain: records per second, and bytes per record beside the
 *            log. Also the rule of bursts in DuckDB over the files. Compared with a replay of the same facts.
 *   push     The time from a block of a local node to its facts if the node announces the block. Compared
 *            with polling.
 *   paid     A paid answer of the whole service in a fresh process, then of the payment gate alone. Each is
 *            compared with a plain Koa route that sends as many bytes.
 *   express  Paid answers per second of the gate on Koa with its durable ledger. Compared with the official
 *            middleware for Express with the same facilitator, and with a plain Koa route. Each runs in a
 *            fresh process.
 *   faulty   The cost of a node that fails 5, 20 and 40 % of its requests. Compared with a node that never
 *            fails.
 *   faulty-b The same for chain B, with a plain node and with Helius. A tenth of the failing requests is
 *            never answered. Also how long a first start takes to be fresh with 20 % of failures.
 *   forged   How long a buyer waits during a flood of forged payments, and without one.
 *   unpaid   404s about untracked ids. Compared with a plain Koa route. Also how long a buyer waits during
 *            floods of such requests.
 *   costs    The CPU time of each kind of work that a caller can cause without paying.
 *   trades   Facts from chain B's trade events. Compared with reading the same fields by hand. Also from
 *            whole transactions.
 *   repairs  A restatement of chain B with trades that were missing, 60 s deep. Compared with the same 60 s
 *            without a restatement.
 *   hourly   A rebuild of chain B's list of leaders, and the answer about one wallet. Compared with the
 *            smallest query that reads as many rows.
 *   sizing   The disk space of a day of each chain, in the log, in the tables and with all days that are kept. It is
 *            measured in three sizes of the market. Also the size of the snapshots, and of a token in the state.
 *   spreads  Copies of an object with more fields, in three spellings, and the JSON of the copies.
 *   restart  The whole service in a fresh process with 20,000 live pools, with snapshots 120 s old and
 *            without snapshots. Compared with a plain Koa route.
 *
 * What each part leaves out is described in `infra/docs/benchmarks.md`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
// @ts-expect-error: The file is plain JavaScript, without types.
import { allocateYoung } from '../../infra/command-line/v8-settings.js'
import { OperationError } from '../../infra/errors.ts'
import { measureLatency } from './answers/answer-latency.ts'
import { measureAsOf } from './answers/as-of.ts'
import { measureNewCuts } from './answers/new-cuts.ts'
import { measureProjectionLatency } from './answers/projection-latency.ts'
import { measureRestart } from './answers/restart-time.ts'
import { measureArchive } from './archive/archive-speed.ts'
import { type BenchMarketName, benchMarkets } from './bench-markets.ts'
import { partitions, writeFacts } from './fact-log.ts'
import { measureFaultyChainB } from './ingest/faulty-chain-b.ts'
import { measureFaultyNode } from './ingest/faulty-node.ts'
import { measureSpreads } from './object-spreads.ts'
import { measureBesideExpress } from './payments/beside-express.ts'
import { measureForgedPayments } from './payments/forged-payments.ts'
import { measureGate } from './payments/paid-answers.ts'
import { measurePaidService } from './payments/paid-service.ts'
import { measureUnpaidCosts } from './payments/unpaid-costs.ts'
import { measureUnpaidQuestions } from './payments/unpaid-questions.ts'
import { count } from './rounds.ts'
import { measureSizing } from './sizing/sizing.ts'
import { measureDecoding } from './stage/decode-trades.ts'
import { measureGrowth } from './stage/growth.ts'
import { measureHourlyProducts } from './stage/hourly-products.ts'
import { measureCurveMemory, measureStateMemory } from './stage/pool-memory.ts'
import { measureRepairs } from './stage/repair-cost.ts'
import { measureReplay } from './stage/replay-speed.ts'
import { measureStage } from './stage/stage-throughput.ts'
import { measurePush } from './stream/push-latency.ts'
import { measureStreamLatency } from './stream/stream-latency.ts'
import { measureTapeViewers } from './stream/tape-viewers.ts'

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
  growth: ({ dataDir }) => measureGrowth(dataDir),
  rows: ({ dataDir }) => measureProjectionLatency({ dataDir, seconds: 20 }),
  stream: ({ dataDir }) => measureStreamLatency({ dataDir, seconds: 20, connections: 1000 }),
  tape: ({ dataDir }) => measureTapeViewers(dataDir),
  answers: ({ dataDir }) => measureLatency({ dataDir, seconds: 15 }),
  cuts: ({ dataDir }) => measureNewCuts(dataDir),
  asof: ({ dataDir }) => measureAsOf(dataDir),
  replay: ({ dataDir, hours }) => measureReplay(dataDir, hours),
  archive: ({ dataDir, hours }) => measureArchive(dataDir, hours),
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
  sizing: ({ dataDir }) => measureSizing(dataDir),
  spreads: async () => measureSpreads(),
  restart: ({ dataDir }) => measureRestart(dataDir),
}

// The programs of the service have the same setting.
allocateYoung()
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
