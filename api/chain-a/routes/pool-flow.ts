import { z } from 'zod'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { burstsHistory } from '../../history.ts'
import { described } from '../../resource.ts'
import { route } from '../../route.ts'
import { refuse } from '../../sale/refusals.ts'
import type { ChainADependencies } from '../dependencies.ts'
import { poolParam } from '../params.ts'
import { rhBurst } from '../resources/burst.ts'
import { envelope } from '../resources/envelope.ts'
import { poolFlow } from '../resources/pool.ts'
import { chainACut, chainASource, ethPriceNeed } from '../source.ts'

export const poolFlowAnswer = envelope.schema.extend({
  pool: described('now', poolFlow.schema, 'The pool with its last 60 minutes.'),
  bursts: described('now', z.array(rhBurst.schema), 'All bursts of the pool in the last 24 h, newest first.'),
})

const notTracked = (id: string) =>
  refuse(
    'not_tracked',
    `this route has no answer about pool ${id}. The pool was not created in the last 24 h, does not trade against ETH, or is a v3 pool without a price. /v1/rh/pools/new lists the pools that this route answers about`,
  )

export const createPoolFlow = ({ queries, presentation }: ChainADependencies) =>
  route({
    pattern: '/v1/rh/pools/:id/flow',
    tool: 'rh_pool_flow',
    description: 'One pool minute by minute over the last hour, and its bursts.',
    priceUsdMicros: 5_000,
    dependsOn: [{ ...chainASource, maxAgeMs: 120_000 }],
    needs: [ethPriceNeed],
    history: burstsHistory,
    params: { id: poolParam },
    subject: { param: 'id', stage: chainAStage, tracked: queries.tracked.pools, refusal: notTracked },
    schema: poolFlowAnswer,
    async answer({ id }, cut) {
      const at = chainACut(cut)
      const flow = await queries.poolFlow(at, id)
      if (flow === null) return notTracked(id)
      return {
        ...envelope.present(at, presentation),
        pool: poolFlow.present({ ...flow.pool, minutes: flow.minutes }, at),
        bursts: flow.bursts.map((row) => rhBurst.present(row, presentation)),
      }
    },
  })
