import { z } from 'zod'
import { described } from '../../resource.ts'
import { type AnsweredRoute, route } from '../../route.ts'
import type { NumberParam } from '../../sale/params.ts'
import { count } from '../../values.ts'
import { gradsHistory } from '../history.ts'
import { hoursParam } from '../params.ts'
import { bareEnvelope } from '../resources/envelope.ts'
import { solGrad } from '../resources/graduation.ts'
import { gradMethod, gradMethodSchema } from '../resources/graduation-method.ts'
import { gradStats } from '../resources/graduation-stats.ts'
import { chainBCut, chainBSource } from '../source.ts'
import type { ChainBWorld } from '../world.ts'

const limitParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 2000,
  default: 500,
  description: 'most graduations to list; `stats` is of all',
}

const gradsHistoryAnswer = bareEnvelope.schema.extend({
  hours: described('now', count, 'Hours before the cut that the graduations cover.'),
  method: gradMethodSchema,
  grads: described('now', z.array(solGrad.schema), 'Newest first.'),
  stats: described('now', gradStats.schema, 'Of all graduations in these hours.'),
})

export const createGradsHistory = ({ views, presentation }: ChainBWorld): AnsweredRoute =>
  route({
    pattern: '/v1/sol/grads/history',
    tool: 'sol_grads_history',
    description: 'Bonding curves completed in the last hours, newest first, with statistics.',
    priceUsdMicros: 20_000,
    dependsOn: [{ ...chainBSource, maxAgeMs: 120_000 }],
    needs: [],
    history: gradsHistory,
    params: { hours: hoursParam(48), limit: limitParam },
    schema: gradsHistoryAnswer,
    async answer({ hours, limit }, cut) {
      const at = chainBCut(cut)
      const { graduations, stats } = await views.graduationsHistory(at, { hours, limit })
      const grads = graduations.map((row) => solGrad.present(row))
      const body = { ...bareEnvelope.present(at, presentation), hours, method: gradMethod, grads }
      return { ...body, stats: gradStats.present(stats) }
    },
  })
