/**
 * A test worker that opens the writers of its partitions and appends to each in turn. It can run as a
 * separate program, so that a test can stop it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { createKafkaLog } from '../../../../infra/log/kafka/kafka-log.ts'
import { sharePartitions } from '../../../../infra/log/kafka/share-partitions.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { topics } from '../../../../schemas/topics.ts'

type Turns = Readonly<{ log: Log; name: string; partitions: readonly number[]; signal: AbortSignal }>

/**
 * Appends until the signal aborts. Each record has the worker's name and the time at which its writers were
 * opened.
 */
export async function workInTurns({ log, name, partitions, signal }: Turns): Promise<void> {
  const opened = `${name}-${Date.now()}`
  const writers = await Promise.all(
    partitions.map(async (partition) => ({ partition, writer: await log.openWriter(`stage-${partition}`) })),
  )
  for (let turn = 0; !signal.aborted; turn++) {
    for (const { partition, writer } of writers)
      await writer.append([{ topic: 'chain-a-derived', partition, key: 'k', value: Buffer.from(`${opened} ${turn}`) }])
    await delay(20)
  }
  for (const { writer } of writers) await writer.close()
}

async function main(brokerList: string, topicPrefix: string): Promise<void> {
  const brokers = brokerList.split(',')
  const logger = pino({ level: 'silent' })
  const log = await createKafkaLog({ brokers, nowMs: Date.now, logger, topicPrefix })
  await sharePartitions({
    connection: { brokers, topicPrefix },
    groupId: 'stage',
    topic: topics['chain-a-facts'],
    sessionMs: 6000,
    signal: new AbortController().signal,
    logger,
    work: (partitions, signal) => workInTurns({ log, name: 'child', partitions, signal }),
  })
}

if (process.argv[1]?.endsWith('share-worker.ts')) await main(process.argv[2] ?? '', process.argv[3] ?? '')
