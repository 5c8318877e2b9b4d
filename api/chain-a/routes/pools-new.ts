import { z } from 'zod'
import type { NumberParam } from '../../edge/params.ts'
import { described } from '../../resource.ts'
import { type Route, route } from '../../route.ts'
import { envelope } from '../resources/envelope.ts'
import { pool } from '../resources/pool.ts'
import { chainACut, chainASource, ethPriceNeed } from '../source.ts'
import type { ChainAWorld } from '../world.ts'

const hoursParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 24,
  default: 6,
  isCount: false,
  description: 'age limit of the pools',
}

const limitParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 1000,
  default: 200,
  isCount: true,
  description: 'most pools to list',
}

export const poolsNewAnswer = envelope.schema.extend({
  pools: described('now', z.array(pool.schema), 'Youngest first.'),
})

export const createPoolsNew = ({ views, presentation }: ChainAWorld): Route =>
  route({
    pattern: '/v1/rh/pools/new',
    description: 'Pools created in the last hours, youngest first.',
    priceUsdMicros: 5_000,
    dependsOn: [{ ...chainASource, maxAgeMs: 120_000 }],
    needs: [ethPriceNeed],
    params: { hours: hoursParam, limit: limitParam },
    schema: poolsNewAnswer,
    async answer(options, cut) {
      const at = chainACut(cut)
      const rows = await views.poolsNew(at, options)
      return { ...envelope.present(at, presentation), pools: rows.map((row) => pool.present(row, at)) }
    },
  })
