import { z } from 'zod'
import { burstsHistory } from '../../history.ts'
import { described } from '../../resource.ts'
import { route } from '../../route.ts'
import type { NumberParam } from '../../sale/params.ts'
import type { ChainADependencies } from '../dependencies.ts'
import { lpParam, tierParam } from '../params.ts'
import { presentBurst, rhBurst } from '../resources/burst.ts'
import { envelope } from '../resources/envelope.ts'
import { chainACut, chainASource, ethPriceNeed } from '../source.ts'

const hoursParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 24,
  default: 24,
  description: 'how far to look back for bursts',
}

export const burstsHistoryAnswer = envelope.schema.extend({
  bursts: described('now', z.array(rhBurst.schema), 'Scored ones, newest first.'),
})

export const createBurstsHistory = ({ queries, presentation }: ChainADependencies) =>
  route({
    pattern: '/v1/rh/bursts/history',
    tool: 'rh_bursts_history',
    description: 'Scored buyer bursts of the last hours with their outcomes, newest first.',
    priceUsdMicros: 20_000,
    dependsOn: [{ ...chainASource, maxAgeMs: 120_000 }],
    needs: [ethPriceNeed],
    history: burstsHistory,
    params: { hours: hoursParam, tier: tierParam('all'), lp: lpParam },
    schema: burstsHistoryAnswer,
    async answer(filter, cut) {
      const at = chainACut(cut)
      const rows = await queries.burstsHistory(at, filter)
      return { ...envelope.present(at, presentation), bursts: rows.map((row) => presentBurst(row, presentation)) }
    },
  })
