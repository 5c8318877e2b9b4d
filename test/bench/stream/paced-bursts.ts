/**
 * A thread that acts as the stage of chain B. It publishes four ticks per second, with a burst in each tick.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import { openLog } from '../../../infra/log/open-log.ts'
import { partitionOf } from '../../../infra/log/partition-of.ts'
import type { ChainBDerivedRecord } from '../../../schemas/chain-b/derived.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { tickKey } from '../../../schemas/topics.ts'
import { buildBurst, mint } from '../../projections/chain-b/derived-log.ts'
import { buildTick } from '../../projections/derived-log.ts'

export type PacedBurstsData = Readonly<{ dataDir: string }>

const tickMs = 250

export async function runPacedBursts(): Promise<void> {
  const { dataDir } = workerData as PacedBurstsData
  const stopping = new AbortController()
  parentPort?.once('message', () => stopping.abort())
  const { log, registry, close } = await openLog({ dataDir, nowMs: Date.now })
  const { name: topic, partitionCount } = chainBStage.derivedTopic
  const codec = await createSchemaCodec<ChainBDerivedRecord>(chainBStage.derivedTopic, registry)
  const writer = await log.openWriter('bench')
  for (let seq = 1; !stopping.signal.aborted; seq++) {
    await sleep(tickMs - (Date.now() % tickMs))
    const atMs = Date.now()
    const key = mint(seq)
    const burst = buildBurst({ atMs, launchAtMs: atMs - 600_000 })
    const tick = codec.encode('Tick', buildTick({ seq, knownAtMs: atMs, blockAtMs: atMs, blockNumber: seq }))
    await writer.append([
      { topic, partition: partitionOf(key, partitionCount), key, value: codec.encode(burst.type, burst.data) },
      ...Array.from({ length: partitionCount }, (_, partition) => ({ topic, partition, key: tickKey, value: tick })),
    ])
  }
  await close()
  parentPort?.close()
}
