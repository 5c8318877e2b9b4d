/** A market that nobody disturbs, on the memory log: the facts that are fed to the cluster, and what must come of them. */

import { prepareSchemas } from '../../../../infra/codec/prepare-schemas.ts'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import type { SchemaRegistry } from '../../../../infra/codec/schema-codec.ts'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { createIngestCodecs } from '../../../../ingest/codecs.ts'
import type { ChainARecord } from '../../../../schemas/chain-a/facts.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import { topics } from '../../../../schemas/topics.ts'
import { readRecords } from '../../../ingest/read-records.ts'
import { derivedBytes } from '../../../replay/stage-log.ts'
import type { Contents } from '../../crash/contents.ts'
import { deriveSpan } from '../../crash/derive-span.ts'
import { span } from '../../crash/killer.ts'
import { type TablesAddress, tableContents } from './tables.ts'

/** What was known at a tick, answers of the lookup too: one append to all partitions. */
export type Step = Readonly<{ seq: number; records: readonly StepRecord[] }>
type StepRecord = Readonly<{ partition: number; key: string; record: ChainARecord }>

export type Undisturbed = Readonly<{
  steps: readonly Step[]
  /** Keys and bytes of the derived partitions, and the rows of the tables. */
  derived: Contents
  tables: Contents
}>

/** Three hours with a reorg every six minutes. Leaves its tables in a database of that name. */
export async function deriveUndisturbed(tables: TablesAddress): Promise<Undisturbed> {
  const clock = { atMs: span.fromMs }
  const registry: SchemaRegistry = createMemoryRegistry()
  await prepareSchemas(registry, topics)
  const codecs = await createIngestCodecs(chainAStage, registry)
  const log = createMemoryLog({ nowMs: () => clock.atMs })
  await deriveSpan({ log, codecs, span, clock })
  const derived: Record<string, string[]> = {}
  for (let partition = 0; partition < topics['chain-a-facts'].partitionCount; partition++)
    derived[`chain-a-derived/${partition}`] = await derivedBytes(log, chainAStage, partition)
  const facts = await readRecords(log, 'chain-a-facts', codecs.facts)
  return {
    steps: stepsOf(facts as readonly StepRecord[]),
    derived,
    tables: await tableContents(tables, { log, registry }),
  }
}

/** The facts of a partition up to a tick go with those of the other partitions up to the same one. */
function stepsOf(facts: readonly StepRecord[]): Step[] {
  const steps = new Map<number, StepRecord[]>()
  for (let partition = 0; partition < topics['chain-a-facts'].partitionCount; partition++) {
    let open: StepRecord[] = []
    for (const fact of facts) {
      if (fact.partition !== partition) continue
      open.push(fact)
      if (fact.record.type !== 'Tick') continue
      const { seq } = fact.record.data
      steps.set(seq, [...(steps.get(seq) ?? []), ...open])
      open = []
    }
  }
  return [...steps].sort(([left], [right]) => left - right).map(([seq, records]) => ({ seq, records }))
}
