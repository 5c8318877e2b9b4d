/**
 * The fields of a precall in answers. A precall describes the trades of a token before a chat first named it.
 */
import { z } from 'zod'
import type { PrecallRow } from '../../../projections/calls/queries/calls-queries.ts'
import { precallFlags } from '../../../schemas/calls/derived.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { minuteMs } from '../../../schemas/units.ts'
import { filledField, publishedFields } from '../../published.ts'
import { fieldsOf } from '../../resource.ts'
import { gapsField } from '../../trade-gaps.ts'
import { count, epochMs } from '../../values.ts'

const addressSchema = z.string().regex(/^0x[0-9a-f]{40}$/)

const { signal, seconds, resource } = fieldsOf<PrecallRow>()

/**
 * Returns null if the service did not follow the token at the time of the post. The trades before the post
 * are then unknown, and a 0 would look like a count.
 */
const ifTracked =
  <Value>(of: (row: PrecallRow) => Value) =>
  (row: PrecallRow): Value | null =>
    row.isTracked ? of(row) : null

export const precallFields = resource('precallFields', {
  token: signal(addressSchema, 'Token address.', ({ token }) => token),
  postedAt: signal(epochMs, 'Time of the first post.', ({ postedAtMs }) => postedAtMs),
  tracked: signal(
    z.boolean(),
    'The token had a pool or curve with a price at the post, and the service handled the post before it handled blocks more than 15 minutes later than the post. False: the numbers before the post are null, and run60 comes from an external provider or is null.',
    ({ isTracked }) => isTracked,
  ),
  buys: signal(
    count.nullable(),
    'Buy swaps in the 10 minutes before the post; null if not tracked.',
    ifTracked((row) => row.buys),
  ),
  buyEth: signal(
    z.number().nullable(),
    'ETH spent on them; null if not tracked.',
    ifTracked((row) => row.buyEth),
  ),
  sameBlockMaxTx: signal(
    count.nullable(),
    'Most buy transactions in one block of that window; null if not tracked.',
    ifTracked((row) => row.sameBlockMaxTx),
  ),
  run60: signal(
    z.number().nullable(),
    'Price at the post / price an hour before (3 = up 3x), or the first price after that of a younger token; null where none is known.',
    ({ run60 }) => run60,
  ),
  ageAtCallMin: signal(z.number().nullable(), 'Age of the token at the post; null where it is not known.', (row) =>
    row.ageAtCallMs === null ? null : row.ageAtCallMs / minuteMs,
  ),
  wallets: seconds(
    count.nullable(),
    `Distinct wallets that bought in that window, as far as the newest ${callRules.sendersAskedMax} transactions tell; null until they are resolved, or if they could not be.`,
    ({ buyers }) => buyers?.wallets ?? null,
  ),
  sameBlockWallets: seconds(
    count.nullable(),
    'Most distinct wallets buying in one block; null until they are resolved.',
    ({ buyers }) => buyers?.sameBlockWallets ?? null,
  ),
  walletList: seconds(
    z.array(addressSchema).max(callRules.walletListMax),
    'Their addresses, at most 40, in order of their first buy; empty until they are resolved.',
    ({ buyers }) => [...(buyers?.walletList ?? [])],
  ),
  flags: seconds(
    z.array(z.enum(precallFlags)),
    'Rules against the call that match: `run` (up 3x or more in the hour before), `young` (under 30 minutes old), `cluster` (5 wallets or more in one block; only once wallets are resolved).',
    ({ flags, buyers }) => precallFlags.filter((flag) => (buyers?.flags ?? flags).includes(flag)),
  ),
  ...gapsField('all markets of the token in the hour before the post', ', and if not tracked'),
  ...publishedFields('what happened before the post'),
  ...filledField({ 'signal+seconds': 'the wallets, and `cluster` among the flags' }),
})

/** The field is present only if the service did not follow the token at the time of the post. */
export const chg1h0Field = {
  schema: z.number().nullable().optional(),
  description: `Change of the price in the hour before the post in percent, of an external provider; only if tracked is false, null if it did not say within ${callRules.askedAnchorMs / 1000} s of the post.`,
} as const
