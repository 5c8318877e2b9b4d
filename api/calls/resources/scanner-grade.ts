/** The grade of a token's holders, computed from the posts of scanner bots in chats. */
import { z } from 'zod'
import type { GradeRow } from '../../../projections/calls/queries/calls-queries.ts'
import { grades } from '../../../schemas/calls/derived.ts'
import { publishedFields } from '../../published.ts'
import { fieldsOf } from '../../resource.ts'
import { count, epochMs, share } from '../../values.ts'
import { mintSchema } from './identifiers.ts'

const readings = z.strictObject({
  top10Pct: share.nullable(),
  topHolder1Pct: share.nullable(),
  snipers: count.nullable(),
  sniperPct: share.nullable(),
  bundlers: count.nullable(),
  bundlePct: share.nullable(),
  devLeftPct: share.nullable(),
  fresh1d: share.nullable(),
  fresh7d: share.nullable(),
  holders: count.nullable(),
})

const penalty = z.strictObject({ field: z.string(), value: z.number(), limit: z.number(), points: z.number() })

const { now, resource } = fieldsOf<GradeRow>()

/** Limits a share to the range from 0 to 1, because a bot can print more than 100 %. */
const atMostAll = (value: number | null): number | null => (value === null ? null : Math.min(1, Math.max(0, value)))

export const scannerFields = resource('scannerFields', {
  mint: now(mintSchema, 'Token address.', ({ token }) => token),
  grade: now(z.enum(grades), 'By the score; `gradeRules` has the bounds.', ({ grade }) => grade),
  score: now(z.number().min(0).max(100), '100 minus all penalties, at least 0.', ({ score }) => score),
  fields: now(
    readings,
    'The most cautious reading over all cards: shares and counts the highest, holders and wallets’ ages the worst. Shares are 0-1; null: no card says it.',
    (row) => ({
      ...{ top10Pct: atMostAll(row.top10Pct), topHolder1Pct: atMostAll(row.topHolder1Pct) },
      ...{ snipers: row.snipers, sniperPct: atMostAll(row.sniperPct) },
      ...{ bundlers: row.bundlers, bundlePct: atMostAll(row.bundlePct), devLeftPct: atMostAll(row.devLeftPct) },
      ...{ fresh1d: atMostAll(row.fresh1d), fresh7d: atMostAll(row.fresh7d), holders: row.holders },
    }),
  ),
  penalties: now(z.array(penalty), 'What the score lost: field, its value, the limit that it passed, points.', (row) =>
    row.penalties.map(({ field, value, limit, points }) => ({ field, value, limit, points })),
  ),
  bots: now(
    z.array(z.string()),
    'Whose cards count; `quoted` and a name: what somebody else posted as a card of that bot.',
    ({ bots }) => [...bots],
  ),
  cards: now(count, 'How many cards.', ({ cards }) => cards),
  lastCardAt: now(epochMs, 'Time of the newest one.', ({ lastCardAtMs }) => lastCardAtMs),
})

/**
 * The times at which the grade became known and was published. Only the route of the grade adds these fields.
 * A verdict about a token shows the grade without them.
 */
export const gradePublished = resource('gradePublished', publishedFields('the grade as shown', 'now'))
