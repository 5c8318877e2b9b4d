import { z } from 'zod'
import type { GraduationStatsRow } from '../../../projections/chain-b/queries/chain-b-queries.ts'
import { described, fieldsOf } from '../../resource.ts'
import { route } from '../../route.ts'
import type { NumberParam } from '../../sale/params.ts'
import { count, share } from '../../values.ts'
import type { ChainBDependencies } from '../dependencies.ts'
import { gradsHistory } from '../history.ts'
import { hoursParam } from '../params.ts'
import { bareEnvelope } from '../resources/envelope.ts'
import { presentGrad, solGrad } from '../resources/graduation.ts'
import { gradMethod, gradMethodSchema } from '../resources/graduation-method.ts'
import { chainBCut, chainBSource } from '../source.ts'

/** Returns null if `whole` is 0, because a share of 0 would look like a result. */
const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

const { now, resource } = fieldsOf<GraduationStatsRow>()

const gradStats = resource('solGradStats', {
  n: now(count, 'Graduations in these hours, those beyond `limit` too.', (row) => row.n),
  medianGradMin: now(z.number().nullable(), 'Median of gradMin where it is known.', (row) => row.medianGradMin),
  afterBurst: now(count, 'Graduations that a burst of the mint came before.', (row) => row.afterBurst),
  afterBurstShare: now(share.nullable(), 'afterBurst / n; null without any.', (row) => shareOf(row.afterBurst, row.n)),
  medianRet1: now(z.number().nullable(), 'Median of ret1 where it is known.', (row) => row.medianRet1),
  medianRet5: now(z.number().nullable(), 'Median of ret5 where it is known.', (row) => row.medianRet5),
  medianRet15: now(z.number().nullable(), 'Median of ret15 where it is known.', (row) => row.medianRet15),
  upShare15: now(share.nullable(), 'Share of the known ret15 that are above 0; null without any.', (row) =>
    shareOf(row.up15, row.known15),
  ),
})

const limitParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 2000,
  default: 500,
  description: 'most graduations to list; `stats` is of all',
}

const gradsHistoryAnswer = bareEnvelope.schema.extend({
  hours: described('now', count, 'Hours before the cut that the graduations cover.'),
  method: gradMethodSchema,
  grads: described('now', z.array(solGrad.schema), 'Newest first.'),
  stats: described('now', gradStats.schema, 'Of all graduations in these hours.'),
})

export const createGradsHistory = ({ queries, presentation }: ChainBDependencies) =>
  route({
    pattern: '/v1/sol/grads/history',
    tool: 'sol_grads_history',
    description: 'Bonding curves completed in the last hours, newest first, with statistics.',
    priceUsdMicros: 20_000,
    dependsOn: [{ ...chainBSource, maxAgeMs: 120_000 }],
    needs: [],
    history: gradsHistory,
    params: { hours: hoursParam(48), limit: limitParam },
    schema: gradsHistoryAnswer,
    async answer({ hours, limit }, cut) {
      const at = chainBCut(cut)
      const { graduations, stats } = await queries.graduationsHistory(at, { hours, limit })
      const grads = graduations.map((row) => presentGrad(row))
      const body = { ...bareEnvelope.present(at, presentation), hours, method: gradMethod, grads }
      return { ...body, stats: gradStats.present(stats) }
    },
  })
