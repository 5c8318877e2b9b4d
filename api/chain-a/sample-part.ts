import { z } from 'zod'
import { described } from '../resource.ts'
import { type SamplePart, sampleBursts, sampleMinutes } from '../sample.ts'
import type { ChainADependencies } from './dependencies.ts'
import { exampleQueries } from './example-queries.ts'
import { exampleCut } from './example-rows.ts'
import { rhBurst } from './resources/burst.ts'

const question = { minutes: sampleMinutes, tier: 'all', lp: 'all', limit: sampleBursts } as const

const samplePart = z.strictObject({
  bursts: described('now', z.array(rhBurst.schema).max(sampleBursts), 'Of all tiers, the newest at that time.'),
})

const answerOf =
  ({ queries, presentation }: ChainADependencies): SamplePart['answer'] =>
  async (cut) => ({
    bursts: (await queries.burstsLive(cut, question)).map((row) => rhBurst.present(row, presentation)),
  })

export const createSamplePart = (dependencies: ChainADependencies): SamplePart => ({
  wireName: dependencies.presentation.chainName,
  schema: samplePart,
  answer: answerOf(dependencies),
  empty: { bursts: [] },
  example: () => answerOf({ ...dependencies, queries: exampleQueries })(exampleCut),
})
