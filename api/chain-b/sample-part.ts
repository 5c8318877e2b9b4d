import { z } from 'zod'
import { described } from '../resource.ts'
import { type SamplePart, sampleBursts, sampleMinutes } from '../sample.ts'
import { exampleCut } from './example-rows.ts'
import { exampleViews } from './example-views.ts'
import { solBurst } from './resources/burst.ts'
import type { ChainBWorld } from './world.ts'

const question = { minutes: sampleMinutes, limit: sampleBursts } as const

const samplePart = z.strictObject({
  bursts: described('now', z.array(solBurst.schema).max(sampleBursts), 'The newest at that time.'),
})

const answerOf =
  ({ views, presentation }: ChainBWorld): SamplePart['answer'] =>
  async (cut) => ({
    bursts: (await views.burstsLive(cut, question)).map((row) => solBurst.present(row, presentation)),
  })

export const createSamplePart = (world: ChainBWorld): SamplePart => ({
  wireName: world.presentation.chainName,
  schema: samplePart,
  answer: answerOf(world),
  empty: { bursts: [] },
  example: () => answerOf({ ...world, views: exampleViews })(exampleCut),
})
