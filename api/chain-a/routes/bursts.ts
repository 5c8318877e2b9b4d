import type { BurstRow, ChainAViews } from '../../../projections/chain-a/queries/chain-a-views.ts'
import type { StageCut as Cut } from '../../../projections/cuts.ts'
import { tiers } from '../../../schemas/chain-a/derived.ts'
import type { ChoiceParam, NumberParam } from '../../edge/params.ts'
import { type Route, route } from '../../route.ts'
import { envelopeOf, type Presentation, presentBurst } from '../present.ts'

const tierValues = [...tiers, 'all'] as const
const lpValues = ['all', 'safe', 'held'] as const

const tierParam = (byDefault: (typeof tierValues)[number]): ChoiceParam<(typeof tierValues)[number]> => ({
  in: 'query',
  type: 'string',
  values: tierValues,
  default: byDefault,
  description: 'which rule fired',
})

const lpParam: ChoiceParam<(typeof lpValues)[number]> = {
  in: 'query',
  type: 'string',
  values: lpValues,
  default: 'all',
  description: 'who held the liquidity at the signal; rows where it is not known match neither safe nor held',
}

export const minutesParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 240,
  default: 60,
  isCount: false,
  description: 'how far to look back for bursts',
}

const hoursParam: NumberParam = { ...minutesParam, max: 24, default: 24 }

export const burstRoutes = (views: ChainAViews, presentation: Presentation): readonly Route[] => {
  const present = (row: BurstRow) => presentBurst(row, presentation)
  const quiet = async (cut: Cut, filter: Readonly<{ tier: BurstRow['tier'] | 'all'; lp: 'all' | 'safe' | 'held' }>) => {
    const latest = await views.latestBurst(cut, filter)
    return {
      note: 'Nothing that fits fired in this window. `latest` is the newest that did in the last 24 hours, or null.',
      latest: latest && present(latest),
    }
  }
  return [
    route({
      pattern: '/v1/rh/bursts/live',
      description: 'Buyer bursts of the last minutes, newest first, scored or not.',
      params: { minutes: minutesParam, tier: tierParam('main'), lp: lpParam },
      async answer(filter, cut) {
        const rows = await views.burstsLive(cut, filter)
        const envelope = { ...envelopeOf(cut, presentation.chainName), bursts: rows.map(present) }
        return rows.length > 0 ? envelope : { ...envelope, ...(await quiet(cut, filter)) }
      },
    }),
    route({
      pattern: '/v1/rh/bursts/history',
      description: 'Scored buyer bursts of the last hours with their outcomes, newest first.',
      params: { hours: hoursParam, tier: tierParam('all'), lp: lpParam },
      async answer(filter, cut) {
        const rows = await views.burstsHistory(cut, filter)
        return { ...envelopeOf(cut, presentation.chainName), bursts: rows.map(present) }
      },
    }),
  ]
}
