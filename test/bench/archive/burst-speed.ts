import assert from 'node:assert/strict'
import { openArchiveRange } from '../../../infra/archive/open-range.ts'
import type { OpenReader } from '../../../infra/log/open-log.ts'
import { replay } from '../../../infra/replay/replay.ts'
import { replayedStages } from '../../../infra/replay/replayed-topics.ts'
import { hasPython, noPython, runPython } from '../../support/python/python.ts'
import type { BenchMarketName } from '../bench-markets.ts'
import { count } from '../rounds.ts'
import { burstQueries } from './burst-queries.ts'

/** Runs the query three times. Prints the median in milliseconds, and the numbers of bursts: found, recorded, and both. */
const program = `
import sys, time, duckdb
times = []
for _ in range(3):
    started = time.perf_counter()
    found = duckdb.sql(sys.argv[1]).fetchall()
    times.append(time.perf_counter() - started)
recorded = duckdb.sql(sys.argv[2]).fetchall()
print(sorted(times)[1] * 1000, len(found), len(recorded), len(set(found) & set(recorded)))
`

type Compared = Readonly<{
  name: BenchMarketName
  folder: string
  /** The log from which the files were exported. */
  log: OpenReader
  range: Readonly<{ from: number; to: number }>
}>

/**
 * Prints how long DuckDB computes the first bursts from the files, and how many of them the service has recorded. Beside
 * it, a replay of the same facts from the files and from the log, without any rule.
 */
export async function compareBursts({ name, folder, log, range }: Compared): Promise<void> {
  if (!hasPython(['duckdb'])) return console.log(`    the rule of bursts in DuckDB ${noPython(['duckdb'])}`)
  const { first, recorded } = burstQueries[name](folder)
  const [ms = 0, found, known, both] = runPython(program, first, recorded).split(' ').map(Number)
  console.log(
    `    first bursts in DuckDB: ${Math.round(ms)} ms for ${found}; the service recorded ${known}, and ${both} are equal in market and block`,
  )
  const files = await openArchiveRange(folder, range)
  for (const [source, open] of Object.entries({ files, log })) {
    const startedAtMs = performance.now()
    let records = 0
    const topics = [`${name}-facts`] as const
    const stages = replayedStages({ CHAIN_A_REORG_BLOCKS_MAX: 1200 })
    for await (const _ of replay({ ...range, topics, log: { open, stages } })) records++
    const seconds = (performance.now() - startedAtMs) / 1000
    assert(records > 0)
    console.log(
      `    replay of the same facts from the ${source}: ${seconds.toFixed(1)} s for ${count(records)} records`,
    )
  }
  await files.close()
}
