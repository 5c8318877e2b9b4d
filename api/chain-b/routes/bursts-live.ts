import { z } from 'zod'
import { burstsHistory } from '../../history.ts'
import { described } from '../../resource.ts'
import { route } from '../../route.ts'
import type { ChainBDependencies } from '../dependencies.ts'
import { minutesParam } from '../params.ts'
import { presentBurst, solBurst } from '../resources/burst.ts'
import { envelope } from '../resources/envelope.ts'
import { chainBCut, chainBSource, solPriceNeed } from '../source.ts'

const burstsLiveAnswer = envelope.schema.extend({
  bursts: described('now', z.array(solBurst.schema), 'Newest first.'),
  note: described('now', z.string().optional(), 'Only without bursts: explains why there are none.'),
  latest: described(
    'now',
    solBurst.schema.nullable().optional(),
    'Only without bursts: the newest burst of the last 24 hours, or null.',
  ),
})

export const createBurstsLive = ({ queries, presentation }: ChainBDependencies) =>
  route({
    pattern: '/v1/sol/bursts/live',
    tool: 'sol_bursts_live',
    description: 'Bursts of buying on bonding curves in the last minutes, newest first, scored or not.',
    priceUsdMicros: 10_000,
    dependsOn: [{ ...chainBSource, maxAgeMs: 120_000 }],
    needs: [solPriceNeed],
    history: burstsHistory,
    params: { minutes: minutesParam },
    schema: burstsLiveAnswer,
    async answer(options, cut) {
      const at = chainBCut(cut)
      const rows = await queries.burstsLive(at, options)
      const bursts = rows.map((row) => presentBurst(row, presentation))
      const answer = { ...envelope.present(at, presentation), bursts }
      if (bursts.length > 0) return answer
      const latest = await queries.latestBurst(at)
      return { ...answer, note: quietNote, latest: latest && presentBurst(latest, presentation) }
    },
  })

const quietNote = 'Nothing fired in this window. `latest` is the newest that did in the last 24 hours, or null.'
