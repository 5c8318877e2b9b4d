/**
 * The service's own stage of chain A with all its processors, as an engine of the benchmark. `topicIn` is the
 * prefix of its topics. `topicOut` is the folder of the schemas. The engine prints `DONE <epoch ms> <facts
 * and ticks>` as soon as every partition has committed the last tick.
 */
import { createEmbeddedRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createKafkaLog } from '../../../infra/log/kafka/kafka-log.ts'
import type { Log } from '../../../infra/log/log.ts'
import { readLastTick } from '../../../infra/log/ticks.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import { createStageCodecs } from '../../../processors/runtime/stage-codecs.ts'
import type { StageDependencies } from '../../../processors/runtime/task.ts'
import { chainA } from '../../../processors/stages.ts'
import { type Topic, topics } from '../../../schemas/topics.ts'
import { partitions } from '../fact-log.ts'
import { countSnapshots, runWithOwnTurns } from '../stage/snapshot-pace.ts'
import { type Place, sayFirst, tellSnapshots } from './place.ts'
import { readOnce } from './plain-consumer.ts'

/** Each run writes to its own derived topic. */
export async function runProduct({ brokers, topicIn, topicOut, id }: Place, snapshotEveryMs: number): Promise<void> {
  const derivedTopic: Topic = { ...topics['chain-a-derived'], name: id }
  const topicTable = { 'chain-a-facts': topics['chain-a-facts'], [id]: derivedTopic, snapshots: topics.snapshots }
  const logger = createLogger(id, 'warn')
  const kafka = { brokers: brokers.split(','), nowMs: Date.now, logger, topicTable, topicPrefix: topicIn }
  const { log, count } = countSnapshots(await createKafkaLog(kafka))
  const stage = { ...chainA.stage, name: id, derivedTopic }
  const codecs = await createStageCodecs({ ...chainA, stage }, await createEmbeddedRegistry({ dataDir: topicOut }))
  const factTopic = { log, topic: 'chain-a-facts', codec: codecs.factCodec }
  const lastSeq = (await readLastTick({ ...factTopic, partition: 0 }))?.seq
  tellSnapshots(count)
  const ending = new AbortController()
  // This timer keeps the process alive. Waiting for records does not.
  setInterval(() => {}, 2 ** 30)
  process.once('SIGTERM', () => process.exit(0))
  const seqs = new Map<number, number>()
  const onProgress: StageDependencies['onProgress'] = ({ partition, seq }) => {
    seqs.set(partition, seq)
    if (partitions.every((each) => seqs.get(each) === lastSeq)) ending.abort()
  }
  const dependencies = { ...chainA, ...codecs, stage, log: noteFirst(log), nowMs: Date.now, logger, snapshotEveryMs }
  await runWithOwnTurns({ ...dependencies, onProgress }, ending.signal)
  const ends = await Promise.all(partitions.map((partition) => log.bounds('chain-a-facts', partition)))
  console.log(`DONE ${Date.now()} ${ends.reduce((sum, { endOffset }) => sum + endOffset, 0)}`)
}

/** Returns a log that prints a line when the first facts are read. */
function noteFirst(log: Log): Log {
  let isBegun = false
  const read: Log['read'] = async (from, options) => {
    const batches = await log.read(from, options)
    if (!isBegun && from.topic === 'chain-a-facts' && batches.length > 0) {
      isBegun = true
      sayFirst()
    }
    return batches
  }
  return { ...log, read }
}

/** Reads the facts with a plain consumer, and decodes every field of every fact. */
export async function runProductPlain({ brokers, topicIn, topicOut, id }: Place): Promise<void> {
  const { factCodec } = await createStageCodecs(chainA, await createEmbeddedRegistry({ dataDir: topicOut }))
  await readOnce({ brokers, topicIn: `${topicIn}chain-a-facts`, id }, factCodec.decode)
}
