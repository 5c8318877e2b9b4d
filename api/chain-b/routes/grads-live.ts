import { z } from 'zod'
import { described } from '../../resource.ts'
import { route } from '../../route.ts'
import { count } from '../../values.ts'
import type { ChainBDependencies } from '../dependencies.ts'
import { gradsHistory } from '../history.ts'
import { minutesParam } from '../params.ts'
import { bareEnvelope } from '../resources/envelope.ts'
import { presentGrad, solGrad } from '../resources/graduation.ts'
import { gradMethod, gradMethodSchema } from '../resources/graduation-method.ts'
import { chainBCut, chainBSource } from '../source.ts'

const gradsLiveAnswer = bareEnvelope.schema.extend({
  minutes: described('now', count, 'Minutes before the cut that the graduations cover.'),
  method: gradMethodSchema,
  grads: described('now', z.array(solGrad.schema), 'Newest first.'),
})

export const createGradsLive = ({ queries, presentation }: ChainBDependencies) =>
  route({
    pattern: '/v1/sol/grads/live',
    tool: 'sol_grads_live',
    description:
      'Bonding curves completed in the last minutes, newest first, with their path and the returns afterwards.',
    priceUsdMicros: 10_000,
    dependsOn: [{ ...chainBSource, maxAgeMs: 120_000 }],
    needs: [],
    history: gradsHistory,
    params: { minutes: minutesParam },
    schema: gradsLiveAnswer,
    async answer({ minutes }, cut) {
      const at = chainBCut(cut)
      const rows = await queries.graduationsLive(at, { minutes })
      const grads = rows.map((row) => presentGrad(row))
      return { ...bareEnvelope.present(at, presentation), minutes, method: gradMethod, grads }
    },
  })
