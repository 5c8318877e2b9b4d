/**
 * A run without faults, with simulated data on a memory log. The run gives the facts for the cluster, and the
 * expected records.
 */

import { prepareSchemas } from '../../../../infra/codec/prepare-schemas.ts'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import type { SchemaRegistry } from '../../../../infra/codec/schema-codec.ts'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { createIngestCodecs } from '../../../../ingest/codecs.ts'
import type { Stage, StageRecord } from '../../../../schemas/stage.ts'
import type { Tick } from '../../../../schemas/tick.ts'
import { topics } from '../../../../schemas/topics.ts'
import { readRecords } from '../../../ingest/read-records.ts'
import type { Contents } from '../../crash/contents.ts'
import { deriveSpan } from '../../crash/derive-span.ts'
import { span } from '../../crash/killer.ts'
import type { SimulatedChain } from '../../crash/simulated-chains.ts'
import { derivedLines } from './lines.ts'
import { type TablesAddress, tableContents } from './tables.ts'

/** The facts of a tick, with answers of lookups. They go to all partitions in one append. */
export type Step = Readonly<{ seq: number; records: readonly StepRecord[] }>
type StepRecord = Readonly<{ partition: number; key: string; record: StageRecord }>

export type Undisturbed = Readonly<{
  stage: Stage
  steps: readonly Step[]
  /** The lines of the derived partitions, and the rows of the tables. */
  derived: Contents
  tables: Contents
}>

/** Derives three hours with a reorg every six minutes. The tables stay in the database that `tables` names. */
export async function deriveUndisturbed(tables: TablesAddress, chain: SimulatedChain): Promise<Undisturbed> {
  const { stage } = chain.runnable
  const { factTopic, derivedTopic } = stage
  const clock = { atMs: span.fromMs }
  const registry: SchemaRegistry = createMemoryRegistry()
  await prepareSchemas(registry, topics)
  const codecs = await createIngestCodecs(stage, registry)
  const log = createMemoryLog({ nowMs: () => clock.atMs })
  await deriveSpan({ chain, log, codecs, span, clock })
  const derived: Record<string, string[]> = {}
  for (let partition = 0; partition < factTopic.partitionCount; partition++)
    derived[`${derivedTopic.name}/${partition}`] = await derivedLines(log, stage, partition)
  const facts = await readRecords(log, factTopic, codecs.facts)
  return {
    stage,
    steps: stepsOf(facts as readonly StepRecord[], factTopic.partitionCount),
    derived,
    tables: await tableContents(tables, { log, registry }),
  }
}

/** Groups the facts of all partitions by tick. */
function stepsOf(facts: readonly StepRecord[], partitionCount: number): Step[] {
  const steps = new Map<number, StepRecord[]>()
  for (let partition = 0; partition < partitionCount; partition++) {
    let open: StepRecord[] = []
    for (const fact of facts) {
      if (fact.partition !== partition) continue
      open.push(fact)
      if (fact.record.type !== 'Tick') continue
      const { seq } = fact.record.data as Tick
      steps.set(seq, [...(steps.get(seq) ?? []), ...open])
      open = []
    }
  }
  return [...steps].sort(([left], [right]) => left - right).map(([seq, records]) => ({ seq, records }))
}
