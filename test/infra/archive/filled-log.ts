/** A log of three days with both chains and the chats, over reorgs and restatements, and its archive. */

import { dayAt } from '../../../infra/archive/days.ts'
import { exportDay } from '../../../infra/archive/export-day.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import type { SchemaRegistry } from '../../../infra/codec/schema-codec.ts'
import { isOperationError } from '../../../infra/errors.ts'
import type { Log, LogReader } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { readAll } from '../../../infra/log/read-back.ts'
import { archivedStages } from '../../../infra/replay/replayed-topics.ts'
import type { RunnableStage } from '../../../processors/runtime/runnable-stage.ts'
import { chainA, chainB, chats } from '../../../processors/stages.ts'
import type { StageTypes } from '../../../schemas/stage.ts'
import { dayMs } from '../../../schemas/units.ts'
import { type KeyedRecord, lastSeqOf } from '../../replay/keyed-record.ts'
import { chatFacts } from '../../replay/market/chat-facts.ts'
import { marketFacts } from '../../replay/market/market-facts.ts'
import { reorgedMarket } from '../../replay/reorgs/reorged-market.ts'
import { appendFacts, openStage, runUntil } from '../../replay/stage-log.ts'
import { second } from '../../support/builders/build-facts.ts'
import { curveMarket, reorgedCurveMarket } from '../../support/chain-b/market.ts'

export const firstDay = dayAt(second(0))
export const dayAfter = (count: number) => dayAt(firstDay.from + count * dayMs)
/** Every day of the log is over at this time. */
export const laterMs = firstDay.from + 30 * dayMs
export const never = new AbortController().signal
export const stages = archivedStages({ CHAIN_A_REORG_BLOCKS_MAX: 1200 })

export type FilledLog = Readonly<{ log: Log; registry: SchemaRegistry }>

export const reorgPlan = (ofTicks: number, depth: number) => ({
  ...{ ofTicks, depth, shortBy: 5, isRehashed: true },
  fates: ['same', 'dropped', { laterBy: 7 }] as const,
})

/** Writes the facts and runs the stages. Some appends have the same time of publication. */
export async function fillLog(): Promise<FilledLog> {
  let appends = 0
  const log = createMemoryLog({ nowMs: () => firstDay.from + 1000 * Math.floor(appends++ / 20) })
  const registry = createMemoryRegistry()
  await runStage({ log, registry }, chainA, [
    marketFacts(11, 1, { hasPosts: true }),
    reorgedMarket(13, [reorgPlan(300, 40)]),
    marketFacts(12, 1),
    marketFacts(14, 1),
  ])
  await runStage({ log, registry }, chainB, [
    curveMarket(11, 2, { hasPosts: true }),
    reorgedCurveMarket(13, [reorgPlan(300, 40), reorgPlan(700, 400)]),
    curveMarket(12, 1),
    curveMarket(14, 1),
  ])
  await runStage({ log, registry }, chats, [chatFacts(11)])
  return { log, registry }
}

/** Writes the facts of each partition and runs the stage on them. */
export async function runStage<Types extends StageTypes>(
  { log, registry }: FilledLog,
  runnable: RunnableStage<Types>,
  partitions: readonly (readonly KeyedRecord<NoInfer<Types>>[])[],
): Promise<void> {
  const open = await openStage(runnable, registry)
  for (const [partition, records] of partitions.entries()) {
    await appendFacts({ ...open, log, partition }, records)
    await runUntil({ ...open, partition }, lastSeqOf(records), { log })
  }
}

/** The last ticks of chain A come after a week without ticks. */
const days = Array.from({ length: 9 }, (_, count) => dayAfter(count))

/** Exports every day on which a stage ran. */
export async function exportAll(open: Readonly<{ log: LogReader; registry: SchemaRegistry }>, folder: string) {
  const exporting = { open, stages, folder, form: 'archive', nowMs: () => laterMs, signal: never } as const
  for (const day of days)
    await exportDay({ ...exporting, day }).catch((error: unknown) => {
      if (!isOperationError(error, 'nothing_found')) throw error
    })
}

/** The records of all archived topics: time of publication, key and bytes, by partition. */
export async function contentOf(log: LogReader): Promise<Readonly<Record<string, readonly string[]>>> {
  const content: Record<string, string[]> = {}
  for (const { stage } of stages)
    for (const { name: topic, partitionCount } of [stage.factTopic, stage.derivedTopic])
      for (let partition = 0; partition < partitionCount; partition++) {
        const records: string[] = []
        for await (const batch of readAll(log, { topic, partition }))
          for (let index = 0; index < batch.count; index++)
            records.push(`${batch.timestampMsAt(index)} ${batch.keyAt(index)} ${batch.valueAt(index)?.toString('hex')}`)
        content[`${topic}/${partition}`] = records
      }
  return content
}
