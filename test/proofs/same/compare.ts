/** Compares what a commit published, projected and sold with what this code makes of the same log. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projections } from '../../../projections/projections.ts'
import { migrate, readMigrations } from '../../../projections/sink/migrate.ts'
import { goOn } from './go-on.ts'
import {
  type ComparedStage,
  createFreshRegistry,
  createTell,
  deriveAgain,
  encodedItems,
  type OpenLog,
  openRecordedLog,
  openTables,
  placeName,
  projectAgain,
  recordItems,
  recordPlaces,
  stages,
  type Tell,
} from './now.ts'
import { placesIn, type RecordedAnswer, readAnswers, routeOf } from './recording.ts'
import { none, type Sabotage } from './sabotage.ts'
import { columnsOf, oldName, progressOf, rowsOf, tableNames } from './tables.ts'
import { claim, compareItems, type Item, type Print, type Verdict } from './verdict.ts'

type Options = Readonly<{ folder: string; sabotage?: Sabotage; print: Print }>

/**
 * Compares a recording with this code, on copies of the recording. With a sabotage (a change on purpose), it
 * does not start the service on the recorded data.
 */
export async function compare({ folder, sabotage = none, print }: Options): Promise<readonly Verdict[]> {
  const root = await mkdtemp(join(tmpdir(), 'launch-data-same-'))
  try {
    const dataDir = await copyData(folder, join(root, 'compared'))
    const recorded = await openRecordedLog(dataDir)
    try {
      const verdicts = [await compareSchemas(recorded)]
      print('the schemas are compared')
      verdicts.push(...(await compareEncoded(recorded, print)))
      for (const stage of stages) {
        verdicts.push(...(await compareDerived(recorded, { stage, sabotage })))
        print(`the facts of ${stage.name} are processed again`)
      }
      const answers = await readAnswers(folder)
      const cutCount = new Set(answers.map(({ cutAtMs }) => cutAtMs)).size
      print(`${answers.length} answers at ${cutCount} cuts, ${new Set(answers.map(({ body }) => body)).size} different`)
      verdicts.push(...(await compareTables({ dataDir, recorded, answers, sabotage })))
      print('the derived records are projected again, and the answers are made again')
      if (sabotage === none) {
        const copy = await copyData(folder, join(root, 'going-on'))
        verdicts.push(
          ...(await goOn({ dataDir: copy, recorded, compared: verdicts, logFile: join(root, 'up.log'), print })),
        )
      }
      return verdicts
    } finally {
      await recorded.close()
    }
  } finally {
    await rm(root, { recursive: true })
  }
}

/** Symbolic links are copied as links. */
async function copyData(folder: string, target: string): Promise<string> {
  await cp(placesIn(folder).dataDir, target, { recursive: true, verbatimSymlinks: true })
  return target
}

/** Each record begins with a schema id, so a new log must give the same ids. */
async function compareSchemas({ registry }: OpenLog): Promise<Verdict> {
  const fresh = await createFreshRegistry()
  return compareItems('schemas by id', { old: schemasOf(registry), now: schemasOf(fresh) })
}

async function* schemasOf(registry: OpenLog['registry']): AsyncGenerator<Item> {
  for (let id = 1; ; id++) {
    const schema = await registry.fetch(id)
    if (schema === null) return
    yield { name: `schema ${id}`, bytes: Buffer.from(JSON.stringify(schema)) }
  }
}

/** The types that are published only after a reorg. */
const typesOfReorgs = ['Restated', 'Withdrawn']

async function compareEncoded(recorded: OpenLog, print: Print): Promise<readonly Verdict[]> {
  const counts = new Map<string, number>()
  const countType = (type: string) => void counts.set(type, (counts.get(type) ?? 0) + 1)
  const verdicts: Verdict[] = []
  for (const place of recordPlaces) {
    const both = { old: recordItems(recorded.log, place), now: encodedItems(recorded, place, countType) }
    verdicts.push(await compareItems(`encoded again: ${place.topic}/${place.partition}`, both))
  }
  print(`records: ${[...counts].map(([type, count]) => `${count} ${type}`).join(', ')}`)
  const missing = typesOfReorgs.filter((type) => !counts.has(type))
  return [
    ...verdicts,
    claim('restated and withdrawn rows', countOf(counts), missing.length > 0 ? `no ${missing}` : null),
  ]
}

const countOf = (counts: ReadonlyMap<string, number>): number =>
  typesOfReorgs.reduce((sum, type) => sum + (counts.get(type) ?? 0), 0)

type Derived = Readonly<{ stage: ComparedStage; sabotage: Sabotage }>

async function compareDerived(recorded: OpenLog, { stage, sabotage }: Derived): Promise<readonly Verdict[]> {
  const again = await deriveAgain(recorded, stage)
  const verdicts: Verdict[] = []
  for (const partition of stage.partitions) {
    const place = { topic: stage.derivedTopic, partition }
    const old = sabotage.records(recordItems(recorded.log, place))
    // The recorded stage may have stopped before it processed the last facts. So there may be more new
    // records than old ones.
    const mayGoOn = { mayGoOn: true }
    const both = { old, now: recordItems(again, place) }
    verdicts.push(await compareItems(`derived records ${placeName(place)}`, both, mayGoOn))
  }
  await again.close()
  return verdicts
}

type Tables = Readonly<{
  dataDir: string
  recorded: OpenLog
  answers: readonly RecordedAnswer[]
  sabotage: Sabotage
}>

const againName = 'launch_data_again'

/**
 * The tables that stay empty with the simulated data. A row in `desk_shadows` needs an hour after a signal
 * that was known in time. No simulated chat has a gap. Any other empty table counts as a difference.
 */
const unfilled = new Set(['desk_shadows', 'chat_gaps'])

async function compareTables({ dataDir, recorded, answers, sabotage }: Tables): Promise<readonly Verdict[]> {
  const old = await openTables(dataDir)
  const again = await openTables(dataDir, againName)
  try {
    const done = (await progressOf(old)).filter(({ state }) => state === 'done')
    const recordedColumns = new Map<string, readonly string[]>()
    for (const table of await tableNames(old, oldName))
      recordedColumns.set(table, await columnsOf({ database: old, name: oldName, table }))
    // A column that the recorded version did not have is empty in its rows, so it is not compared.
    const comparedColumns = async (table: string) => {
      const columns = await columnsOf({ database: old, name: oldName, table })
      return columns.filter((column) => recordedColumns.get(table)?.includes(column) ?? true)
    }
    // Both databases get the current migrations, so the comparison covers the migrations too.
    await migrate(old, await readMigrations(projections))
    await projectAgain(recorded, again, new Map(done.map((progress) => [placeName(progress), progress.nextOffset])))
    await sabotage.tables(old)
    const verdicts: Verdict[] = []
    for (const table of await tableNames(old, oldName)) {
      const columns = await comparedColumns(table)
      const rowsIn = (name: string) => rowsOf({ database: old, name, table, columns })
      const verdict = await compareItems(`table ${table}`, { old: rowsIn(oldName), now: rowsIn(againName) })
      const isEmpty = verdict.count === 0 && verdict.old === verdict.now
      verdicts.push(isEmpty && unfilled.has(table) ? { ...verdict, difference: null } : verdict)
    }
    const tell = await createTell(again, dataDir)
    return [...verdicts, ...(await compareAnswers(sabotage.answers(answers), tell))]
  } finally {
    await again.close()
    await old.close()
  }
}

/** Compares the answers route by route, so that a route without answers is noticed. */
async function compareAnswers(answers: readonly RecordedAnswer[], tell: Tell): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = []
  for (const route of [...new Set(answers.map(({ path }) => routeOf(path)))].sort()) {
    const sold = answers.filter(({ path }) => routeOf(path) === route)
    const old = sold.map(({ path, body }) => ({ name: path, bytes: Buffer.from(body) }))
    verdicts.push(await compareItems(`answers of ${route}`, { old, now: told(sold, tell) }))
  }
  return verdicts
}

async function* told(answers: readonly RecordedAnswer[], tell: Tell): AsyncGenerator<Item> {
  for (const { path, cutAtMs } of answers) yield { name: `${path} at ${cutAtMs}`, bytes: await tell(path, cutAtMs) }
}
