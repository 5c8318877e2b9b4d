/**
 * `npm run bench [hours]`: how fast the whole chain A stage goes through a log (simulated market, embedded log, four
 * tiers, outcomes, snapshots), beside what the same machine takes to decode the same records and to scan their bytes; what
 * its state weighs; then how long a fact takes to become part of an answer. Read the ratios: absolute figures move with
 * the machine.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureLatency } from './answer-latency.ts'
import { partitions, writeFacts } from './fact-log.ts'
import { measurePoolMemory } from './pool-memory.ts'
import { count } from './rounds.ts'
import { measureStage } from './stage-throughput.ts'

const hours = Number(process.argv[2] ?? 12)
const rounds = 3
const folder = await mkdtemp(join(tmpdir(), 'launch-data-bench-'))
try {
  const dataDir = join(folder, 'stage')
  const facts = await writeFacts(dataDir, hours)
  console.log(`${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}`)
  console.log(
    `${count(facts)} facts, ${hours} h of a simulated market in ${partitions.length} partitions, one thread; facts/s, the median of ${rounds} rounds after one to warm up:`,
  )
  await measureStage({ dataDir, facts, rounds })
  await measurePoolMemory(dataDir)
  await measureLatency({ dataDir: join(folder, 'latency'), seconds: 30 })
} finally {
  await rm(folder, { recursive: true, force: true })
}
