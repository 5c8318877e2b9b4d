/**
 * `npm run bench [-- part…] [hours]`: all parts, or those named, each beside its baseline. Read the ratios: absolute figures
 * move with the machine.
 *
 *   stage    the whole chain A stage over a log (simulated market of so many hours, embedded log), beside what the same
 *            machine takes to decode the same records and to scan their bytes; and what its state weighs
 *   curves   the whole chain B stage in the same way, over scripted curves that are launched within so many hours
 *   rows     from the append of a tick to its rows in the tables at 2,000 swaps/s, beside reading it from the log again
 *   answers  from the fact to the answer that holds it, on the running service, at two grids of cuts
 *   paid     a paid answer through the gate, beside a bare Koa route with the same bytes
 *   faulty   what a node costs that fails 5, 20 and 40 % of its requests, beside one that never fails
 *   forged   how long a buyer waits beside a storm of forged payments, and beside none
 *   restart  the stage's way back to where it was with 20,000 live pools, with a snapshot and without
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { OperationError } from '../../infra/errors.ts'
import { partitionsOf } from '../../processors/runtime/run-stage.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { chainBStage } from '../../schemas/chain-b/stage.ts'
import { measureLatency } from './answer-latency.ts'
import { writeCurveFacts } from './curve-facts.ts'
import { writeFacts } from './fact-log.ts'
import { measureFaultyNode } from './faulty-node.ts'
import { measureForgedPayments } from './forged-payments.ts'
import { measurePaidAnswers } from './paid-answers.ts'
import { measureCurveMemory, measurePoolMemory } from './pool-memory.ts'
import { measureProjectionLatency } from './projection-latency.ts'
import { measureRestart } from './restart-time.ts'
import { count } from './rounds.ts'
import { measureStage } from './stage-throughput.ts'

type Part = (bench: Readonly<{ dataDir: string; hours: number }>) => Promise<void>

const rounds = 3
const hoursDefault = 12

const parts: Readonly<Record<string, Part>> = {
  stage: async ({ dataDir, hours }) => {
    const facts = await writeFacts(dataDir, hours)
    console.log(
      `${count(facts)} facts, ${hours} h of a simulated market in ${partitionsOf(chainAStage).length} partitions, one thread; facts/s, the median of ${rounds} rounds after one to warm up:`,
    )
    await measureStage({ dataDir, stageName: 'chain-a', facts, rounds })
    await measurePoolMemory(dataDir)
    await measureCurveMemory()
  },
  curves: async ({ dataDir, hours }) => {
    const facts = await writeCurveFacts(dataDir, hours)
    console.log(
      `${count(facts)} facts of bonding curves in ${hours} h, ${partitionsOf(chainBStage).length} partitions, one thread; facts/s, the median of ${rounds} rounds after one to warm up:`,
    )
    await measureStage({ dataDir, stageName: 'chain-b', facts, rounds })
  },
  rows: ({ dataDir }) => measureProjectionLatency({ dataDir, seconds: 20 }),
  answers: ({ dataDir }) => measureLatency({ dataDir, seconds: 15 }),
  paid: ({ dataDir }) => measurePaidAnswers(dataDir),
  faulty: () => measureFaultyNode(),
  forged: ({ dataDir }) => measureForgedPayments(dataDir),
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
