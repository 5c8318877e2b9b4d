/**
 * `npm run bench [hours]`: how fast the whole chain A stage goes through a log (simulated market, embedded log, four
 * tiers, outcomes, snapshots), beside what the same machine takes to decode the same records and to scan their bytes;
 * then how long a fact takes to become part of an answer. Read the ratios: absolute figures move with the machine.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureLatency } from './answer-latency.ts'
import { measureStage } from './stage-throughput.ts'

const hours = Number(process.argv[2] ?? 24)
const folder = await mkdtemp(join(tmpdir(), 'launch-data-bench-'))
try {
  await measureStage({ dataDir: join(folder, 'stage'), hours, rounds: 3 })
  await measureLatency({ dataDir: join(folder, 'latency'), seconds: 30 })
} finally {
  await rm(folder, { recursive: true, force: true })
}
