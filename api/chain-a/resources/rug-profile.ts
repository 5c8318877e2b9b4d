/** The rug profile of a pool: the holders who can withdraw its liquidity. */
import { z } from 'zod'
import type { ProfileRow } from '../../../projections/chain-a/queries/chain-a-queries.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { lpClasses } from '../../../schemas/chain-a/derived.ts'
import { minutesBetween } from '../../durations.ts'
import { fieldsOf, type Presented } from '../../resource.ts'
import { count, epochMs } from '../../values.ts'
import { addressSchema, poolIdSchema } from './identifiers.ts'
import { lpShareFields } from './lp-shares.ts'

const { now, resource } = fieldsOf<ProfileRow & Readonly<{ token: string }>, StageCut>()

export const rugProfile = resource('rugProfile', {
  pool: now(poolIdSchema, 'v4 pool id.', (row) => row.pool),
  token: now(addressSchema, 'Token contract.', (row) => row.token),
  dex: now(z.literal('v4'), 'Liquidity of v3 pools is not profiled.', () => 'v4' as const),
  poolAgeMin: now(
    z.number().min(0),
    'Minutes since the pool was created, at the check.',
    ({ createdAtMs, checkedAtMs }) => minutesBetween(createdAtMs, checkedAtMs),
  ),
  checkedAt: now(
    epochMs,
    'When the pool was profiled, epoch ms: every 10 minutes until the pool is 6 hours old, and whenever its liquidity or an owner changes.',
    (row) => row.checkedAtMs,
  ),
  block: now(
    count,
    'The newest block of the answer: ownership is known up to its end.',
    (_, { blockNumber }) => blockNumber,
  ),
  class: now(z.enum(lpClasses), 'Who can pull the liquidity; `empty`: there is none.', (row) => row.class),
  ...lpShareFields('now'),
  lpAgeMin: now(
    z.number().min(0),
    'Minutes from the first liquidity add to the check; 0 before any.',
    ({ firstAddAtMs, checkedAtMs }) => (firstAddAtMs === null ? 0 : minutesBetween(firstAddAtMs, checkedAtMs)),
  ),
  lpAdds: now(count, 'Liquidity adds seen.', (row) => row.lpAdds),
  creator: now(addressSchema.nullable(), 'Sender of the transaction that created the pool.', (row) => row.creator),
})

export type RugProfile = Presented<typeof rugProfile>
