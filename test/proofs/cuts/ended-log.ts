/**
 * Tables of the log as it ended at a cut: what such tables answer cannot hold anything that was known later, in any field of any
 * route. The engine opens one folder in a process, so they are another database in it.
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

/** Cuts spread over what was sold, each with all that was sold there. */
function cutsOf(sold: readonly Sold[], count: number): readonly (readonly Sold[])[] {
  const byCut = new Map<number, Sold[]>()
  for (const one of [...sold].sort((left, right) => left.cutAtMs - right.cutAtMs))
    byCut.set(one.cutAtMs, [...(byCut.get(one.cutAtMs) ?? []), one])
  const all = [...byCut.values()]
  const every = Math.max(1, Math.floor(all.length / count))
  return all.filter((_, index) => index % every === every - 1).slice(0, count)
}

type Ended = Readonly<{ dataDir: string; count: number }>

/** How many answers were asked, and those that differ. */
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

/** A cut is asked once later ticks show that it is complete; there is none. */
const saySoFar = (tables: Database, cutAtMs: number): Promise<void> =>
  tables.insert({
    table: watermarkTable,
    columns: watermarkColumns,
    rows: projections.flatMap(({ stage: { derivedTopic } }) =>
      Array.from({ length: derivedTopic.partitionCount }, (_, partition) => [
        ...[derivedTopic.name, partition, 'done', Number.MAX_SAFE_INTEGER, cutAtMs + 1, 0],
      ]),
    ),
  })
