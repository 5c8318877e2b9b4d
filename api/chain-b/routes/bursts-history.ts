import { z } from 'zod'
import { burstsHistory } from '../../history.ts'
import { described } from '../../resource.ts'
import { route } from '../../route.ts'
import type { ChainBDependencies } from '../dependencies.ts'
import { hoursParam } from '../params.ts'
import { presentBurst, solBurst } from '../resources/burst.ts'
import { envelope } from '../resources/envelope.ts'
import { chainBCut, chainBSource, solPriceNeed } from '../source.ts'

const burstsHistoryAnswer = envelope.schema.extend({
  bursts: described('now', z.array(solBurst.schema), 'Scored ones, newest first.'),
})

export const createBurstsHistory = ({ queries, presentation }: ChainBDependencies) =>
  route({
    pattern: '/v1/sol/bursts/history',
    tool: 'sol_bursts_history',
    description: 'Scored bursts of bonding curves of the last hours with their outcomes, newest first.',
    priceUsdMicros: 20_000,
    dependsOn: [{ ...chainBSource, maxAgeMs: 120_000 }],
    needs: [solPriceNeed],
    history: burstsHistory,
    params: { hours: hoursParam(24) },
    schema: burstsHistoryAnswer,
    async answer(options, cut) {
      const at = chainBCut(cut)
      const rows = await queries.burstsHistory(at, options)
      return { ...envelope.present(at, presentation), bursts: rows.map((row) => presentBurst(row, presentation)) }
    },
  })
