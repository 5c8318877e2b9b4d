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

const minutesParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 240,
  default: 60,
  description: 'how far to look back for bursts',
}

export const burstsLiveAnswer = envelope.schema.extend({
  bursts: described('now', z.array(rhBurst.schema), 'Newest first.'),
  note: described('now', z.string().optional(), 'Only without bursts: explains why there are none.'),
  latest: described(
    'now',
    rhBurst.schema.nullable().optional(),
    'Only without bursts: the newest matching burst of the last 24 hours, or null.',
  ),
})

export const createBurstsLive = ({ queries, presentation }: ChainADependencies) =>
  route({
    pattern: '/v1/rh/bursts/live',
    tool: 'rh_bursts_live',
    description: 'Buyer bursts of the last minutes, newest first, scored or not.',
    priceUsdMicros: 10_000,
    dependsOn: [{ ...chainASource, maxAgeMs: 120_000 }],
    needs: [ethPriceNeed],
    history: burstsHistory,
    params: { minutes: minutesParam, tier: tierParam('main'), lp: lpParam },
    schema: burstsLiveAnswer,
    async answer(filter, cut) {
      const at = chainACut(cut)
      const rows = await queries.burstsLive(at, filter)
      const bursts = rows.map((row) => presentBurst(row, presentation))
      const answer = { ...envelope.present(at, presentation), bursts }
      if (bursts.length > 0) return answer
      const latest = await queries.latestBurst(at, filter)
      return { ...answer, note: quietNote, latest: latest && presentBurst(latest, presentation) }
    },
  })

const quietNote =
  'Nothing that fits fired in this window. `latest` is the newest that did in the last 24 hours, or null.'
