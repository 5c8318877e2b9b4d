/** The route `/v1/snapshot`: one object per chain under the chain's public name, all at one instant. */
import type { z } from 'zod'
import type { Cut, StageCut } from '../projections/cuts.ts'
import type { EpochMs } from '../schemas/units.ts'
import { timeFields } from './envelope.ts'
import { exampleAtMs } from './example.ts'
import { burstsHistory } from './history.ts'
import type { ApiProduct } from './product.ts'
import { described, fieldsOf } from './resource.ts'
import { type Example, type Need, type RequiredSource, route, stageCutOf } from './route.ts'
import type { NumberParam } from './sale/params.ts'
import { count } from './values.ts'

/** The part of one chain in the snapshot. */
export type SnapshotPart = Readonly<{
  /** The key of the chain's object in the body. */
  wireName: string
  source: Omit<RequiredSource, 'maxAgeMs'>
  needs: readonly Need[]
  schema: z.ZodObject
  answer(values: Readonly<{ minutes: number }>, cut: StageCut): Promise<object>
  /** Returns the answer made from the chain's example rows. */
  example?(): Promise<object>
}>

const minutesParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 240,
  default: 60,
  description: 'how far to look back',
}

type Row = Readonly<{ atMs: EpochMs; blockAtMs: EpochMs; minutes: number }>

const { now, resource } = fieldsOf<Row>()
const head = resource('snapshotHead', {
  ...timeFields,
  windowMin: now(count, 'Minutes before the cut that the bursts cover.', ({ minutes }) => minutes),
})

export const snapshotAnswer = (parts: Readonly<Record<string, z.ZodObject>>) =>
  head.schema.extend(
    Object.fromEntries(
      Object.entries(parts).map(([name, schema]) => [name, described('now', schema, `What is known of ${name}.`)]),
    ),
  )

export const snapshot: ApiProduct = {
  routesOf(sources) {
    const route = createSnapshotRoute(sources.flatMap((source) => source.snapshot ?? []))
    return route === null ? [] : [route]
  },
}

/** Returns null if no chain has a part. */
export function createSnapshotRoute(parts: readonly SnapshotPart[]) {
  const [first, ...others] = parts.map(({ source }): RequiredSource => ({ ...source, maxAgeMs: 120_000 }))
  if (!first) return null
  return route({
    pattern: '/v1/snapshot',
    tool: 'launch_snapshot',
    description:
      'Everything at one instant: bursts of all tiers, the pools of the last hour, and statistics of the last day.',
    priceUsdMicros: 30_000,
    dependsOn: [first, ...others],
    needs: parts.flatMap(({ needs }) => needs),
    history: burstsHistory,
    params: { minutes: minutesParam },
    schema: snapshotAnswer(Object.fromEntries(parts.map(({ wireName, schema }) => [wireName, schema]))),
    async answer({ minutes }, cut) {
      const bodies = await Promise.all(
        parts.map(async (part) => [part.wireName, await part.answer({ minutes }, stageCutOf(cut, part.source.stage))]),
      )
      return { ...head.present({ ...timeOf(cut), minutes }), ...Object.fromEntries(bodies) }
    },
    example: () => exampleOf(parts),
  })
}

async function exampleOf(parts: readonly SnapshotPart[]): Promise<Example> {
  const minutes = minutesParam.default
  const bodies = parts.map(async ({ wireName, example }) => [wireName, await example?.()])
  const time = head.present({ atMs: exampleAtMs, blockAtMs: exampleAtMs - 2000, minutes })
  return { values: { minutes }, body: { ...time, ...Object.fromEntries(await Promise.all(bodies)) } }
}

/**
 * Returns the times of the snapshot. `blockAtMs` is the time of the newest block of the chain that is
 * furthest behind.
 */
const timeOf = ({ atMs, stages }: Cut) => ({
  atMs,
  blockAtMs: Math.min(...Object.values(stages).map(({ blockAtMs }) => blockAtMs)),
})
