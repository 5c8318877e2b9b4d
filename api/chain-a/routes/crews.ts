import { z } from 'zod'
import { buyerMemoryMs } from '../../../schemas/buyer-memory.ts'
import { described } from '../../resource.ts'
import { type AnsweredRoute, route } from '../../route.ts'
import type { NumberParam } from '../../sale/params.ts'
import { count } from '../../values.ts'
import { crew } from '../resources/crew.ts'
import { envelope } from '../resources/envelope.ts'
import { chainACut, chainASource, ethPriceNeed } from '../source.ts'
import type { ChainAWorld } from '../world.ts'

const minBurstsParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 3,
  max: 50,
  default: 3,
  description: 'least burst windows of a wallet',
}

const limitParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 25,
  default: 25,
  description: 'most wallets to list',
}

export const crewsAnswer = envelope.schema.extend({
  walletsTracked: described('now', count.nullable(), 'Wallets that bought in any burst of the last 30 days.'),
  crews: described('now', z.array(crew.schema), 'Most bursts first.'),
})

export const createCrews = ({ views, presentation }: ChainAWorld): AnsweredRoute =>
  route({
    pattern: '/v1/rh/crews',
    tool: 'rh_crews',
    description: 'Wallets that bought in several burst windows of the last 30 days.',
    priceUsdMicros: 20_000,
    dependsOn: [{ ...chainASource, maxAgeMs: 120_000 }],
    needs: [ethPriceNeed],
    history: { windowMs: null, lookBackMs: buyerMemoryMs },
    params: { minBursts: minBurstsParam, limit: limitParam },
    schema: crewsAnswer,
    async answer(options, cut) {
      const at = chainACut(cut)
      const { walletsTracked, crews } = await views.crews(at, options)
      return { ...envelope.present(at, presentation), walletsTracked, crews: crews.map((row) => crew.present(row, at)) }
    },
  })
