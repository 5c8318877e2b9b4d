import { z } from 'zod'
import { described } from '../resource.ts'
import { type SamplePart, sampleBursts, sampleMinutes } from '../sample.ts'
import type { ChainBDependencies } from './dependencies.ts'
import { exampleQueries } from './example-queries.ts'
import { exampleCut } from './example-rows.ts'
import { solBurst } from './resources/burst.ts'

const question = { minutes: sampleMinutes, limit: sampleBursts } as const

const samplePart = z.strictObject({
  bursts: described('now', z.array(solBurst.schema).max(sampleBursts), 'The newest at that time.'),
})

const answerOf =
  ({ queries, presentation }: ChainBDependencies): SamplePart['answer'] =>
  async (cut) => ({
    bursts: (await queries.burstsLive(cut, question)).map((row) => solBurst.present(row, presentation)),
  })

export const createSamplePart = (dependencies: ChainBDependencies): SamplePart => ({
  wireName: dependencies.presentation.chainName,
  schema: samplePart,
  answer: answerOf(dependencies),
  empty: { bursts: [] },
  example: () => answerOf({ ...dependencies, queries: exampleQueries })(exampleCut),
})
