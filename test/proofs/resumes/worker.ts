/**
 * One of the two workers of a stage with four partitions. It writes generated records and ticks to every second
 * partition of the derived topic, in the atomic appends of a task. Prints READY when the past is written, and then
 * writes ticks until SIGTERM. Arguments: data directory, index of the worker, seed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import { openEmbeddedLog } from '../../../infra/log/embedded/open-embedded-log.ts'
import type { ChainADerivedRecord } from '../../../schemas/chain-a/derived.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { tickKey, topics } from '../../../schemas/topics.ts'
import { tokensOfPartitions } from '../../api/stream/partition-tokens.ts'
import {
  buildBurst,
  buildMinute,
  buildRestated,
  buildTick,
  buildWithdrawn,
  poolId,
} from '../../projections/derived-log.ts'
import { createRandom } from '../../support/chain-a-node/random.ts'

const [dataDir = '', indexText = '0', seedText = '1'] = process.argv.slice(2)
const [index, seed] = [Number(indexText), Number(seedText)]
const random = createRandom(seed * 2 + index)
const topic = chainAStage.derivedTopic.name
const pastMs = 30 * 3_600_000
/** The time between two ticks of the past. */
const pastTickMs = 30 * 60_000
const tickMsMax = 40

const clock = { atMs: Date.now() - pastMs, isLive: false }
const open = await openEmbeddedLog(dataDir, {
  nowMs: () => (clock.isLive ? Date.now() : clock.atMs),
  topicTable: topics,
})
const codec = await createSchemaCodec<ChainADerivedRecord>(chainAStage.derivedTopic, open.registry)
const partitions = tokensOfPartitions.map((_, partition) => partition).filter((partition) => partition % 2 === index)
const writers = new Map(
  await Promise.all(
    partitions.map(async (partition) => [partition, await open.log.openWriter(`stage-${partition}`)] as const),
  ),
)
let rows = index * 1_000_000
let seq = 0

/** Returns the records of a tick: new rows, and corrections of rows of the same tick. */
function recordsAt(atMs: number): readonly ChainADerivedRecord[] {
  const keys = Array.from({ length: Math.floor(random() * 4) }, () => ({ pool: poolId(++rows), atMs }))
  const [corrected] = random() < 0.3 ? keys : []
  const correction = random() < 0.5 ? [buildWithdrawn(corrected)] : [buildRestated(corrected), buildBurst(corrected)]
  return [...keys.map((key) => buildBurst(key)), buildMinute(), ...(corrected ? correction : [])]
}

async function writeTick(partition: number, atMs: number): Promise<void> {
  const tick = buildTick({ seq: ++seq, knownAtMs: atMs + 5, blockAtMs: atMs })
  const records = recordsAt(atMs).map(({ type, data }) => ({
    ...{ topic, partition, key: tokensOfPartitions[partition] as string, value: codec.encode(type, data) },
  }))
  const closing = { topic, partition, key: tickKey, value: codec.encode('Tick', tick) }
  await writers.get(partition)?.append([...records, closing])
}

const untilMs = Date.now() - 60_000
for (; clock.atMs < untilMs; clock.atMs += pastTickMs)
  for (const partition of partitions) await writeTick(partition, clock.atMs)
clock.isLive = true
console.log('READY')
let isOver = false
process.once('SIGTERM', () => {
  isOver = true
})
while (!isOver) {
  for (const partition of partitions) {
    await sleep(random() * tickMsMax)
    await writeTick(partition, Date.now())
  }
}
await open.close()
