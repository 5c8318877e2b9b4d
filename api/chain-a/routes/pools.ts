import type { ChainAViews } from '../../../projections/chain-a/queries/chain-a-views.ts'
import { minuteColumns } from '../../../schemas/chain-a/resources.ts'
import type { NumberParam, PathParam } from '../../edge/params.ts'
import { refuse } from '../../edge/refusals.ts'
import { type Route, route } from '../../route.ts'
import { envelopeOf, type Presentation, presentBurst, presentMinute, presentPool } from '../present.ts'

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

const poolParam: PathParam = {
  in: 'path',
  type: 'string',
  pattern: /^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/,
  example: '0x and 40 hex digits (v3) or 64 (v4)',
  description: 'a v3 pool address or v4 pool id',
}

export const poolRoutes = (views: ChainAViews, presentation: Presentation): readonly Route[] => [
  route({
    pattern: '/v1/rh/pools/new',
    description: 'Pools created in the last hours, youngest first.',
    params: { hours: hoursParam, limit: limitParam },
    async answer(options, cut) {
      const rows = await views.poolsNew(cut, options)
      return { ...envelopeOf(cut, presentation.chainName), pools: rows.map((row) => presentPool(row, cut)) }
    },
  }),
  route({
    pattern: '/v1/rh/pools/:id/flow',
    description: 'One pool minute by minute over the last hour, and its bursts.',
    params: { id: poolParam },
    async answer({ id }, cut) {
      const flow = await views.poolFlow(cut, id)
      if (flow === null)
        return refuse(
          'not_tracked',
          `pool ${id} is not an ETH-quoted pool created in the last 24 h; /v1/rh/pools/new lists those that are`,
        )
      return {
        ...envelopeOf(cut, presentation.chainName),
        pool: { ...presentPool(flow.pool, cut), mins: flow.minutes.map(presentMinute), minCols: minuteColumns },
        bursts: flow.bursts.map((row) => presentBurst(row, presentation)),
      }
    },
  }),
]
