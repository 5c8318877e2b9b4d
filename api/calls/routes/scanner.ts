import { z } from 'zod'
import { grades } from '../../../schemas/calls/derived.ts'
import { gradeTable } from '../../../schemas/calls/grades.ts'
import { chatsStage } from '../../../schemas/chats/stage.ts'
import { described } from '../../resource.ts'
import { route } from '../../route.ts'
import { refuse } from '../../sale/refusals.ts'
import { type CallsDependencies, namedChainOf } from '../dependencies.ts'
import { callsHistory } from '../history.ts'
import { mintParam } from '../params.ts'
import { callsSources, timeOf } from '../required-sources.ts'
import { callsEnvelope } from '../resources/envelope.ts'
import { gradePublished, scannerFields } from '../resources/scanner-grade.ts'

const gradeRules = z.strictObject({
  bands: z.array(z.strictObject({ grade: z.enum(grades), minScore: z.number() })),
  rules: z.array(z.strictObject({ field: z.string(), limit: z.number(), points: z.number() })),
})

const scannerAnswer = callsEnvelope.schema.extend({
  ...scannerFields.schema.shape,
  ...gradePublished.schema.shape,
  gradeRules: described(
    'now',
    gradeRules,
    'How a grade is made: a rule costs its points where the field is at or above its limit, holders below it; of the rules of one field the hardest counts. The first band whose minScore the score reaches is the grade.',
  ),
})

const notTracked = (mint: string) =>
  refuse(
    'not_tracked',
    `no followed chat had a scanner card about ${mint} in the last 48 h. /v1/sol/calls/live lists tokens that chats named`,
  )

export const createScanner = (dependencies: CallsDependencies) =>
  route({
    pattern: '/v1/scanner/:mint',
    tool: 'scanner_grade',
    description:
      'A grade of who holds a token, by the most cautious reading of the cards of scanner bots, on either chain.',
    priceUsdMicros: 10_000,
    dependsOn: callsSources(dependencies, 180_000, ({ isToken }, { mint }) => isToken(String(mint))),
    needs: [],
    history: callsHistory,
    params: { mint: mintParam },
    subject: { param: 'mint', stage: chatsStage, tracked: dependencies.queries.tracked.grades, refusal: notTracked },
    schema: scannerAnswer,
    async answer({ mint }, cut) {
      const row = await dependencies.queries.grade(cut, mint)
      if (row === null) return notTracked(mint)
      const { bands, rules } = gradeTable
      return {
        ...callsEnvelope.present({ ...timeOf(cut), chain: namedChainOf(dependencies, row.chain).wireName }),
        ...scannerFields.present(row),
        ...gradePublished.present(row),
        gradeRules: {
          bands: bands.map(({ grade, minScore }) => ({ grade, minScore })),
          rules: rules.map(({ field, limit, points }) => ({ field, limit, points })),
        },
      }
    },
  })
