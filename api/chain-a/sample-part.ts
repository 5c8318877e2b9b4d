import { z } from 'zod'
import { described } from '../resource.ts'
import { type SamplePart, sampleBursts, sampleMinutes } from '../sample.ts'
import { exampleCut } from './example-rows.ts'
import { exampleViews } from './example-views.ts'
import { rhBurst } from './resources/burst.ts'
import type { ChainAWorld } from './world.ts'

const question = { minutes: sampleMinutes, tier: 'all', lp: 'all', limit: sampleBursts } as const

const samplePart = z.strictObject({
  bursts: described('now', z.array(rhBurst.schema).max(sampleBursts), 'Of all tiers, the newest at that time.'),
})

const answerOf =
  ({ views, presentation }: ChainAWorld): SamplePart['answer'] =>
  async (cut) => ({
    bursts: (await views.burstsLive(cut, question)).map((row) => rhBurst.present(row, presentation)),
  })

export const createSamplePart = (world: ChainAWorld): SamplePart => ({
  wireName: world.presentation.chainName,
  schema: samplePart,
  answer: answerOf(world),
  empty: { bursts: [] },
  example: () => answerOf({ ...world, views: exampleViews })(exampleCut),
})
