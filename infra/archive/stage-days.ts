/** Notes what a day of a stage contains: the versions of its rules, its gaps, and the schemas of its records. */
import type { SchemaRegistry } from '../codec/schema-codec.ts'
import { type BlockGaps, createBlockGaps } from '../replay/block-gaps.ts'
import type { Closed } from '../replay/instants.ts'
import type { Day } from './days.ts'
import type { DayPartition } from './find-day.ts'
import type { Manifest } from './manifest.ts'

type StageDay = {
  readonly rulesVersions: Set<string>
  readonly gaps: BlockGaps
}

/** `stopped` names the stages that stopped before the day. Each gets a gap over the whole day. */
export function createStageDays(day: Day, stopped: readonly string[]) {
  const stages = new Map<string, StageDay>()
  const ids = new Map<string, Readonly<{ topic: string; id: number }>>()
  const stageDay = (name: string): StageDay => {
    const its = stages.get(name) ?? { rulesVersions: new Set<string>(), gaps: createBlockGaps(day.from) }
    stages.set(name, its)
    return its
  }
  for (const name of stopped) stageDay(name)
  return {
    /** Returns a function that notes the ticks of a partition. Every partition has the same ticks. */
    noteOf({ stage, isFacts, source: { topic, partition } }: DayPartition): (closed: Closed) => void {
      const its = stageDay(stage.name)
      const isClock = isFacts && partition === 0
      return ({ tick, records, stored }) => {
        its.rulesVersions.add(tick.rulesVersion)
        if (isClock) its.gaps.note(tick)
        for (const { batch, index } of [...records, stored]) {
          const id = batch.valueAt(index)?.readUInt32BE(1) ?? 0
          ids.set(`${topic} ${id}`, { topic, id })
        }
      }
    },
    stages(): Manifest['stages'] {
      return [...stages].map(([stage, { rulesVersions, gaps }]) => ({
        ...{ stage, rulesVersions: [...rulesVersions], gaps: [...gaps.until(day.to)] },
      }))
    },
    async schemas(registry: SchemaRegistry): Promise<Manifest['schemas']> {
      const found = [...ids.values()].map(async ({ topic, id }) => ({ topic, id, schema: await registry.fetch(id) }))
      return (await Promise.all(found)).flatMap(({ schema, ...its }) => (schema === null ? [] : [{ ...its, schema }]))
    },
  }
}
