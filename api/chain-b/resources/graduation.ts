/** A graduation: a completed curve, and the returns of its token in the pool. */
import { z } from 'zod'
import type { GraduationRow } from '../../../projections/chain-b/queries/chain-b-queries.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { keepPresented } from '../../kept-json.ts'
import { filledField, publishedFields } from '../../published.ts'
import { fieldsOf } from '../../resource.ts'
import { gapsField } from '../../trade-gaps.ts'
import { count, epochMs } from '../../values.ts'
import { addressSchema } from './identifiers.ts'

const postFields = fieldsOf<NonNullable<GraduationRow['post']> & Readonly<{ gradAtMs: EpochMs }>>()

const post = postFields.resource('solGradPost', {
  anchorSecAfterGrad: postFields.outcome(
    count,
    'Whole seconds from gradAt to the opening of the pool, from which the returns count.',
    ({ gradAtMs, anchorAtMs }) => Math.floor((anchorAtMs - gradAtMs) / 1000),
  ),
  ret1: postFields.outcome(
    z.number().nullable(),
    'Return 1 minute after the opening; null until then.',
    (row) => row.ret1,
  ),
  ret5: postFields.outcome(z.number().nullable(), 'Return after 5 minutes.', (row) => row.ret5),
  ret15: postFields.outcome(z.number().nullable(), 'Return after 15 minutes.', (row) => row.ret15),
})

const { signal, outcome, resource } = fieldsOf<GraduationRow>()

export const solGrad = resource('solGrad', {
  mint: signal(addressSchema, 'Token mint.', (row) => row.mint),
  gradAt: signal(epochMs, 'When the curve was complete: the time of that slot.', (row) => row.gradAtMs),
  source: signal(
    z.literal('bonding-curve'),
    'What graduated: gradAt is read from the curve itself, not from its pool.',
    () => 'bonding-curve' as const,
  ),
  gradMin: signal(
    z.number().min(0).nullable(),
    'Minutes on the curve; null if the launch is older than the log and could not be read.',
    (row) => row.gradMin,
  ),
  path: signal(
    z.array(z.tuple([z.int().min(0), z.number()])),
    'The curve into the graduation, oldest first: [whole seconds before it, fill 0-1], a point a minute for the last hour.',
    ({ path }) => path.map(({ beforeSec, fill }): [number, number] => [beforeSec, fill]),
  ),
  burst: signal(
    z.strictObject({ at: epochMs, inflowSol: z.number(), curveAt: z.number() }).nullable(),
    'The last burst of the mint before: signal time, net SOL and curve fill at the signal; null without one.',
    ({ burst }) => burst && { at: burst.atMs, inflowSol: burst.inflowSol, curveAt: burst.fillAt },
  ),
  post: outcome(
    post.schema.nullable(),
    'Returns of the token in its pool, without costs; null until the pool opens.',
    ({ post: row, gradAtMs }) => row && post.present({ gradAtMs, ...row }),
  ),
  supersedes: signal(
    epochMs.nullable(),
    'gradAt of the row of this mint that a reorg of the chain withdrew in favour of this one; null for all others.',
    (row) => row.supersedesAtMs,
  ),
  ...gapsField(
    'the curve since the start of the path and of the window of `burst` (without one since the launch), up to 15 minutes after the opening,',
  ),
  ...publishedFields('the graduation as shown, its returns aside'),
  ...filledField({ 'signal+30m': '`post`, the newest of its returns' }),
})

/** Presents a graduation for the lists of the API. The result must not be changed. */
export const presentGrad = keepPresented(solGrad.present)
