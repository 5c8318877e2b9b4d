import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase } from '../../../infra/clickhouse/database.ts'
import { prepareSchemas } from '../../../infra/codec/prepare-schemas.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { scan } from '../../../infra/log/scan.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { projections } from '../../../projections/projections.ts'
import { projectToEnd } from '../../../projections/sink/run.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { chatsStage } from '../../../schemas/chats/stage.ts'
import { topics } from '../../../schemas/topics.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { runLive } from './live.ts'

const hours = Number(process.argv[2] ?? 2)
const fromMs = Date.UTC(2026, 8, 1)
const clock = { atMs: fromMs }
const log = createMemoryLog({ nowMs: () => clock.atMs })
const registry = createMemoryRegistry()
await prepareSchemas(registry, topics)
const t0 = performance.now()
const signal = new AbortController().signal
await runLive(
  {
    seed: 1,
    fromMs,
    toMs: fromMs + hours * 3_600_000,
    callers: 200,
    callsPerHour: 240,
    chainALaunchesPerDay: Number(process.argv[3] ?? 510),
    chainBLaunchesPerDay: Number(process.argv[4] ?? 3000),
  },
  { log, registry, clock, signal },
  async (at) => {
    if (at % 3_600_000 === 0)
      console.log(
        new Date(at).toISOString(),
        Math.round(performance.now() - t0),
        Math.round(process.memoryUsage().rss / 1e6),
      )
  },
)
console.log('live', Math.round(performance.now() - t0), process.cpuUsage())
const counts: Record<string, number> = {}
for (const stage of [chainAStage, chainBStage, chatsStage]) {
  const codecs = await createIngestCodecs(stage as never, registry)
  for (const [topic, codec] of [
    [stage.factTopic, codecs.facts],
    [stage.derivedTopic, codecs.derived],
  ] as const)
    for (let partition = 0; partition < topic.partitionCount; partition++)
      await scan({ log, topic: topic.name, partition, codec: codec as never }, 0, ({ value }) => {
        const type = `${topic.name} ${(codec as any).typeOf(value)}`
        counts[type] = (counts[type] ?? 0) + 1
        return undefined
      })
}
console.log(counts)
process.exit(0)
const t1 = performance.now()
const database = await createDatabase({ dataDir: await mkdtemp(join(tmpdir(), 'launch-data-calls-')), role: 'writer' })
await projectToEnd({ projections, log, registry, database, logger: silentLogger, signal })
console.log('projected', Math.round(performance.now() - t1))
await database.close()
