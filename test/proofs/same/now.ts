/** The parts of the current code that this proof runs: the log, the stages, the projections and the routes. */
import { pino } from 'pino'
import { routesOf } from '../../../api/products.ts'
import { stagesFor } from '../../../api/route.ts'
import { createAnswers } from '../../../api/sale/answers.ts'
import { parseParams } from '../../../api/sale/params.ts'
import { createSources } from '../../../api/sources.ts'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import { prepareSchemas } from '../../../infra/codec/prepare-schemas.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec, type SchemaRegistry } from '../../../infra/codec/schema-codec.ts'
import { readConfig } from '../../../infra/config.ts'
import { keptSecret } from '../../../infra/data-dir/secrets.ts'
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { type OpenLog, openLog } from '../../../infra/log/open-log.ts'
import { recordsFrom } from '../../../infra/log/read-back.ts'
import { resume } from '../../../processors/runtime/resume.ts'
import { runStage } from '../../../processors/runtime/run-stage.ts'
import type { RunnableStage } from '../../../processors/runtime/runnable-stage.ts'
import { openSnapshotStore } from '../../../processors/runtime/snapshots/snapshot-store.ts'
import { createStageCodecs } from '../../../processors/runtime/stage-codecs.ts'
import type { StageDependencies } from '../../../processors/runtime/task.ts'
import { chainA, chainB, chats } from '../../../processors/stages.ts'
import { createCuts } from '../../../projections/cuts.ts'
import { ownTablesOf } from '../../../projections/projection.ts'
import { projections } from '../../../projections/projections.ts'
import { projectToEnd } from '../../../projections/sink/run.ts'
import type { StageTypes } from '../../../schemas/stage.ts'
import type { Tick } from '../../../schemas/tick.ts'
import { tickKey, topics } from '../../../schemas/topics.ts'
import { environment } from './recording.ts'
import type { Item } from './verdict.ts'

export type { OpenLog } from '../../../infra/log/open-log.ts'

export type ComparedStage = Readonly<{
  name: string
  factTopic: string
  derivedTopic: string
  partitions: readonly number[]
  runnable: RunnableStage<StageTypes>
}>

/** The chats are also a stage. */
export const stages: readonly ComparedStage[] = [chainA, chainB, chats].map((runnable) => {
  const { name, factTopic, derivedTopic } = runnable.stage
  const partitions = Array.from({ length: derivedTopic.partitionCount }, (_, partition) => partition)
  return { ...{ name, partitions, runnable }, factTopic: factTopic.name, derivedTopic: derivedTopic.name }
})

/** The SQL condition for the rows of a table that come from the topic. Null: the topic writes no rows there. */
export function rowsOfTopic(table: string, topic: string): string | null {
  const writers = projections.filter((projection) => ownTablesOf(projection).some(({ name }) => name === table))
  if (writers.length === 0) return `topic = '${topic}'`
  const writer = writers.find(({ stage }) => stage.derivedTopic.name === topic)
  if (writer === undefined) return null
  const own = ownTablesOf(writer).find(({ name }) => name === table)
  return own !== undefined && 'chain' in own.columns ? `chain = '${writer.stage.name}'` : '1'
}

/** Whether an hourly product writes the table. */
export const isHourly = (table: string): boolean =>
  projections.some(({ hourly }) => hourly.some((product) => product.table.name === table))

const logger = pino({ level: 'silent' })
const never = new AbortController().signal

/** Opens a log that no other process has open. */
export const openRecordedLog = (dataDir: string): Promise<OpenLog> => openLog({ dataDir, nowMs: Date.now })

/**
 * Opens the tables of a data directory. With a name, opens a second database in the same engine, and creates
 * it if it is missing.
 */
export const openTables = (dataDir: string, name?: string): Promise<Database> =>
  createDatabase({ dataDir, role: 'writer', ...(name === undefined ? {} : { name }) })

export type Place = Readonly<{ topic: string; partition: number }>

async function* recordsOf(log: Log, place: Place): AsyncGenerator<LogRecord> {
  for await (const batch of recordsFrom(log, { ...place, offset: 0 }))
    for (let at = 0; at < batch.count; at++)
      yield { offset: batch.offsetAt(at), key: batch.keyAt(at), value: batch.valueAt(at) }
}

/** The key and value of each record, in order. Offsets are left out, because a new log has no gaps. */
export async function* recordItems(log: Log, place: Place): AsyncGenerator<Item> {
  for await (const record of recordsOf(log, place)) yield itemOf(place, record)
}

type LogRecord = Readonly<{ offset: number; key: string; value: Buffer | null }>

const itemOf = ({ topic, partition }: Place, { offset, key, value }: LogRecord): Item => ({
  name: `${topic}/${partition} at ${offset}`,
  bytes: Buffer.concat([Buffer.from(`${key}\0`), value ?? Buffer.alloc(0)]),
})

/** All partitions of the topics that have schemas. So snapshots are left out. */
export const recordPlaces: readonly Place[] = Object.values(topics).flatMap(({ name, schemas, partitionCount }) =>
  schemas === null ? [] : Array.from({ length: partitionCount }, (_, partition) => ({ topic: name, partition })),
)

function topicOf({ topic: wanted }: Place) {
  const topic = Object.values(topics).find(({ name }) => name === wanted)
  if (topic === undefined) throw new TypeError(`no topic ${wanted}`)
  return topic
}

/** Decodes the records with the current codec, and encodes them again. Counts the records of each type. */
export async function* encodedItems(
  { log, registry }: OpenLog,
  place: Place,
  countType: (type: string) => void,
): AsyncGenerator<Item> {
  const codec = await createSchemaCodec(topicOf(place), registry)
  for await (const { offset, key, value } of recordsOf(log, place)) {
    if (value !== null) await codec.load(value)
    const record = value && codec.decode(value)
    if (record) countType(record.type)
    yield itemOf(place, { offset, key, value: record && codec.encode(record.type, record.data) })
  }
}

/** The ticks of a partition, oldest first. */
export async function ticksOf({ log, registry }: OpenLog, place: Place): Promise<readonly Tick[]> {
  const codec = await createSchemaCodec(topicOf(place), registry)
  const ticks: Tick[] = []
  for await (const { key, value } of recordsOf(log, place)) {
    if (key !== tickKey || value === null) continue
    await codec.load(value)
    const { data } = codec.decode(value)
    ticks.push(data as Tick)
  }
  return ticks
}

/** All schemas with the ids that a new log would give them. */
export async function createFreshRegistry(): Promise<SchemaRegistry> {
  const registry = createMemoryRegistry()
  await prepareSchemas(registry, topics)
  return registry
}

async function stageOn(
  { runnable }: ComparedStage,
  { log, registry }: Readonly<{ log: Log; registry: SchemaRegistry }>,
): Promise<StageDependencies> {
  return {
    log,
    ...(await createStageCodecs(runnable, registry)),
    ...runnable,
    nowMs: () => performance.now(),
    logger,
  }
}

/**
 * After a reorg, a stage processes all facts after its last snapshot again. The recorded day runs in a minute
 * here, with a reorg every half second, so snapshots must be frequent.
 */
const snapshotEveryMs = 1_000

/** Runs the stage over all recorded facts, and returns the log that it wrote. */
export async function deriveAgain(recorded: OpenLog, compared: ComparedStage): Promise<Log> {
  const { factTopic, partitions } = compared
  const fresh = createMemoryLog({ nowMs: Date.now })
  const of = (topic: string) => (topic === factTopic ? recorded.log : fresh)
  const log: Log = {
    ...fresh,
    read: (position, options) => of(position.topic).read(position, options),
    bounds: (topic, partition) => of(topic).bounds(topic, partition),
    waitForAppend: (position, signal) => of(position.topic).waitForAppend(position, signal),
  }
  const stage = await stageOn(compared, { log, registry: recorded.registry })
  const lastSeqs = await Promise.all(
    partitions.map(async (partition) => (await ticksOf(recorded, { topic: factTopic, partition })).at(-1)?.seq ?? 0),
  )
  const behind = new Set(partitions)
  const stop = new AbortController()
  const onProgress: StageDependencies['onProgress'] = ({ partition, seq }) => {
    if (seq >= (lastSeqs[partition] ?? 0)) behind.delete(partition)
    if (behind.size === 0) stop.abort()
  }
  await runStage({ ...stage, snapshotEveryMs, onProgress }, stop.signal)
  return fresh
}

/**
 * Returns, for each partition, the offset in the facts from which its task would continue with a snapshot of
 * the recorded log. 0: it would process all facts again.
 */
export async function resumeOffsets(recorded: OpenLog, compared: ComparedStage): Promise<readonly number[]> {
  const stage = await stageOn(compared, recorded)
  const offsets: number[] = []
  for (const partition of compared.partitions) {
    const snapshots = await openSnapshotStore(stage, partition)
    offsets.push((await resume(stage, partition, snapshots)).factsOffset)
    await snapshots.close()
  }
  return offsets
}

/** A name from topic and partition. */
export const placeName = ({ topic, partition }: Place): string => `${topic}/${partition}`

/** Projects the derived records of each partition up to the given offset into empty tables. */
export async function projectAgain(
  { log, registry }: OpenLog,
  database: Database,
  untilOffsets: ReadonlyMap<string, number>,
): Promise<void> {
  const cutOff: Log = {
    ...log,
    async read(position, options) {
      const untilOffset = untilOffsets.get(placeName(position)) ?? 0
      const batches = position.offset < untilOffset ? await log.read(position, options) : []
      return batches.map((batch) => batch.before(untilOffset)).filter(({ count }) => count > 0)
    },
  }
  await projectToEnd({ projections, log: cutOff, registry, database, logger, signal: never })
}

/**
 * Returns the bytes of the answer to a path, for a cut (the time for which the answer is computed), or the
 * refusal in words.
 */
export type Tell = (path: string, cutAtMs: number) => Promise<Buffer>

export async function createTell(database: Database, dataDir: string): Promise<Tell> {
  const cuts = createCuts({ database })
  const ruleIdSecret = await keptSecret(dataDir, 'rule-ids')
  const callerIdSecret = await keptSecret(dataDir, 'caller-ids')
  const routes = routesOf(createSources({ config: readConfig(environment), database, ruleIdSecret, callerIdSecret }))
  const answers = createAnswers({ cuts, nowMs: () => 0, refreshMs: 0, cacheBytesMax: 0 })
  return async (path, cutAtMs) => {
    const { pathname, searchParams } = new URL(path, 'http://same')
    const found = routes
      .map((route) => ({ route, path: pathParamsOf(route.pattern, pathname) }))
      .find(({ path }) => path !== null)
    if (found === undefined) return Buffer.from('no route')
    const parsed = parseParams(found.route.params, { query: Object.fromEntries(searchParams), path: found.path ?? {} })
    if ('refusal' in parsed) return Buffer.from(JSON.stringify(parsed.refusal))
    const cut = await cuts.at(cutAtMs, stagesFor(found.route, parsed.values))
    if (cut === null) return Buffer.from('no cut')
    const answer = await answers.answer(found.route, parsed.values, cut)
    return 'bytes' in answer ? answer.bytes : Buffer.from(JSON.stringify(answer.refusal))
  }
}

/** Returns the parameters in a path. Null: the path does not match the pattern. */
function pathParamsOf(pattern: string, pathname: string): Readonly<Record<string, string>> | null {
  const named = pattern.replace(/:(\w+)/g, '(?<$1>[^/]+)')
  const match = new RegExp(`^${named}$`).exec(pathname)
  return match && { ...match.groups }
}
