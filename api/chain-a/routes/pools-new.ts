import { z } from 'zod'
import { poolsHistory } from '../../history.ts'
import { described } from '../../resource.ts'
import { route } from '../../route.ts'
import type { NumberParam } from '../../sale/params.ts'
import { count } from '../../values.ts'
import type { ChainADependencies } from '../dependencies.ts'
import { envelope } from '../resources/envelope.ts'
import { pool } from '../resources/pool.ts'
import { chainACut, chainASource, ethPriceNeed } from '../source.ts'

const hoursParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 24,
  default: 6,
  description: 'age limit of the pools',
}

const limitParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 1000,
  default: 200,
  description: 'most pools to list',
}

export const poolsNewAnswer = envelope.schema.extend({
  pools: described('now', z.array(pool.schema), 'Youngest first.'),
  poolsLeftOut: described(
    'now',
    count,
    'Pools created in these hours that `pools` leaves out: those beyond `limit`, and v3 pools that have no price yet.',
  ),
})

export const createPoolsNew = ({ queries, presentation }: ChainADependencies) =>
  route({
    pattern: '/v1/rh/pools/new',
    tool: 'rh_pools_new',
    description: 'Pools created in the last hours, youngest first.',
    priceUsdMicros: 5_000,
    dependsOn: [{ ...chainASource, maxAgeMs: 120_000 }],
    needs: [ethPriceNeed],
    history: poolsHistory,
    params: { hours: hoursParam, limit: limitParam },
    schema: poolsNewAnswer,
    async answer(options, cut) {
      const at = chainACut(cut)
      const { pools: rows, created } = await queries.poolsNewCounted(at, options)
      return {
        ...envelope.present(at, presentation),
        pools: rows.map((row) => pool.present(row, at)),
        poolsLeftOut: created - rows.length,
      }
    },
  })
