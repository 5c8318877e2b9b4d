/** The free sample: the newest bursts of each chain as they were known 15 minutes ago. Newer data is sold. */
import { z } from 'zod'
import type { Cuts, StageCut } from '../projections/cuts.ts'
import type { Stage } from '../schemas/stage.ts'
import type { EpochMs } from '../schemas/units.ts'
import { timeFields } from './envelope.ts'
import { exampleAtMs } from './example.ts'
import type { FreeRoute } from './free-route.ts'
import { delayedCut, delayedMin, onceDelayed } from './record/delayed.ts'
import { described, fieldsOf } from './resource.ts'
import type { Answers } from './sale/answers.ts'

/** The part of one chain in the sample. */
export type SamplePart = Readonly<{
  /** The key of the chain's object in the body. */
  wireName: string
  schema: z.ZodObject
  answer(cut: StageCut): Promise<object>
  /** The chain's object that is shown if the service had no data of the chain 15 minutes ago. */
  empty: object
  /** Returns the answer made from the chain's example rows. */
  example(): Promise<object>
}>

/** The number of bursts per chain. */
export const sampleBursts = 3
/** The sample contains bursts of this time span before its own time, in minutes. */
export const sampleMinutes = 24 * 60

/** The interval, in ms, at which the sample is computed. All clients of an interval share it. */
const gridMs = 20_000

type Row = Readonly<{ atMs: EpochMs; blockAtMs: EpochMs; note: string | undefined }>

const { now, resource } = fieldsOf<Row>()

const head = resource('sampleHead', {
  ...timeFields,
  delayedMin: now(
    z.literal(delayedMin),
    'Minutes from generatedAt to the request. Newer data is sold.',
    (): 15 => delayedMin,
  ),
  note: now(z.string().optional(), 'Only if a chain had no data yet at that instant: names it.', (row) => row.note),
})

type Sampled = Readonly<{ stage: Stage; sample?: SamplePart }>
type SampleContext = Readonly<{ sources: readonly Sampled[]; answers: Answers; cuts: Cuts; nowMs: () => number }>

export function createSampleRoute(context: SampleContext): FreeRoute {
  const parts = context.sources.flatMap(({ stage, sample }) => (sample ? [{ stage, sample }] : []))
  const sampleAt = createSampleAt(parts, context)
  return {
    patterns: ['/v1/sample'],
    description: `A preview: the ${sampleBursts} newest bursts of each chain as they were known ${delayedMin} minutes ago.`,
    tool: 'launch_sample',
    perMinute: 30,
    schema: head.schema.extend(
      Object.fromEntries(
        parts.map(({ sample }) => [
          sample.wireName,
          described('now', sample.schema, `What was known of ${sample.wireName}.`),
        ]),
      ),
    ),
    answer: onceDelayed(gridMs, sampleAt, context),
    async example() {
      const bodies = parts.map(async ({ sample }) => [sample.wireName, await sample.example()])
      const at = { atMs: exampleAtMs, blockAtMs: exampleAtMs - 2000, note: undefined }
      return { ...presentHead(at), ...Object.fromEntries(await Promise.all(bodies)) }
    },
  }
}

function presentHead(row: Row): object {
  const { note, ...rest } = head.present(row)
  return note === undefined ? rest : { ...rest, note }
}

type Part = Readonly<{ stage: Stage; sample: SamplePart }>

function createSampleAt(parts: readonly Part[], context: SampleContext): (atMs: number) => Promise<object> {
  return async (atMs) => {
    const found = await Promise.all(
      parts.map(async ({ stage, sample }) => ({ ...sample, cut: await delayedCut(stage, atMs, context) })),
    )
    const bodies = found.map(async ({ wireName, cut, answer, empty }) => [
      wireName,
      cut === null ? empty : await answer(cut),
    ])
    const unknown = found.filter(({ cut }) => cut === null).map(({ wireName }) => wireName)
    const oldest = Math.min(atMs, ...found.flatMap(({ cut }) => cut?.blockAtMs ?? []))
    const note =
      unknown.length === 0
        ? undefined
        : `Of ${unknown.join(' and ')} nothing was known ${delayedMin} minutes ago; ask again later.`
    return { ...presentHead({ atMs, blockAtMs: oldest, note }), ...Object.fromEntries(await Promise.all(bodies)) }
  }
}
