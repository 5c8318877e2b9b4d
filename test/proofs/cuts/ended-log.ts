/**
 * Tables of a log that ends at a cut. Their answers cannot contain anything that was known later. The engine
 * opens one folder per process, so these tables are another database in the same folder.
 */
import { createLogUntil } from '../../../api/replay/log-until.ts'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { projections } from '../../../projections/projections.ts'
import { migrate, readMigrations } from '../../../projections/sink/migrate.ts'
import { projectToEnd } from '../../../projections/sink/run.ts'
import { watermarkColumns, watermarkTable } from '../../../projections/watermarks.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { createTell, openRecordedLog, openTables } from '../same/now.ts'
import { type Sold, soldOtherwise } from './sold.ts'

/** Cuts that are spread over the sold answers, with all answers of each cut. */
function cutsOf(sold: readonly Sold[], count: number): readonly (readonly Sold[])[] {
  const byCut = new Map<number, Sold[]>()
  for (const one of [...sold].sort((left, right) => left.cutAtMs - right.cutAtMs))
    byCut.set(one.cutAtMs, [...(byCut.get(one.cutAtMs) ?? []), one])
  const all = [...byCut.values()]
  const every = Math.max(1, Math.floor(all.length / count))
  return all.filter((_, index) => index % every === every - 1).slice(0, count)
}

type Ended = Readonly<{ dataDir: string; count: number }>

/** Computes sold answers again from logs that end at their cuts. Returns the number of these answers, and those that differ. */
export async function otherwiseFromEndedLogs(sold: readonly Sold[], { dataDir, count }: Ended) {
  const open = await openRecordedLog(dataDir)
  const otherwise: Sold[] = []
  let asked = 0
  try {
    for (const [index, ofCut] of cutsOf(sold, count).entries()) {
      const cutAtMs = ofCut[0]?.cutAtMs ?? 0
      const clock = { nowMs: () => cutAtMs, reaches: () => new Promise<void>(() => {}) }
      const topics = projections.map(({ stage }) => stage.derivedTopic)
      const log = { ...open.log, ...(await createLogUntil({ ...open, clock }, topics)) }
      const tables = await openTables(dataDir, `ended_${index}`)
      try {
        await migrate(tables, await readMigrations(projections))
        const options = { projections, ...open, log, database: tables, logger: silentLogger }
        await projectToEnd({ ...options, signal: new AbortController().signal })
        await saySoFar(tables, cutAtMs)
        otherwise.push(...(await soldOtherwise(await createTell(tables, dataDir), ofCut)))
        asked += ofCut.length
        await tables.command(`DROP DATABASE ended_${index} SYNC`)
      } finally {
        await tables.close()
      }
    }
  } finally {
    await open.close()
  }
  return { asked, otherwise }
}

/** Marks the cut as complete. Normally later ticks do this, but the log ends at the cut. */
const saySoFar = (tables: Database, cutAtMs: number): Promise<void> =>
  tables.insert({
    table: watermarkTable,
    columns: watermarkColumns,
    rows: projections.flatMap(({ stage: { derivedTopic } }) =>
      Array.from({ length: derivedTopic.partitionCount }, (_, partition) => [
        ...[derivedTopic.name, partition, 'done', Number.MAX_SAFE_INTEGER, cutAtMs + 1, 0, {}, ''],
      ]),
    ),
  })
