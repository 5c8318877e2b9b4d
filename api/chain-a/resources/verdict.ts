/**
 * The fields of chain A's verdict about a token: the reasons, the liquidity or curve, the newest call in
 * chats, and the token's simulated trades ("paper desk").
 */

import { z } from 'zod'
import type { VerdictPrecallRow, VerdictRow } from '../../../projections/chain-a/queries/chain-a-queries.ts'
import { precallFlags } from '../../../schemas/calls/derived.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { lpClasses } from '../../../schemas/chain-a/derived.ts'
import { riskiestOf } from '../../../schemas/chain-a/rug-check.ts'
import { type Reason, verdictLevels } from '../../../schemas/chain-a/verdict.ts'
import { type EpochMs, minuteMs } from '../../../schemas/units.ts'
import { deskShadow, lastTrade } from '../../desk/resources/token-desk.ts'
import { fieldsOf, type Presented } from '../../resource.ts'
import { count, epochMs, share } from '../../values.ts'
import { addressSchema } from './identifiers.ts'

const reason = fieldsOf<Reason>()

export const verdictReason = reason.resource('verdictReason', {
  rule: reason.now(z.string(), 'Name of the rule.', (row) => row.rule),
  level: reason.now(z.enum(verdictLevels), 'What the rule calls for.', (row) => row.level),
  text: reason.now(z.string(), 'The rule in words.', (row) => row.text),
})

const liquidity = fieldsOf<VerdictRow & Readonly<{ checkedAtMs: EpochMs }>>()

const v4Liquidity = liquidity.resource('rhVerdictLiquidity', {
  class: liquidity.now(
    z.enum(lpClasses),
    'Who can pull the liquidity: the riskiest of all v4 pools of the last 24 h.',
    ({ classes }) => riskiestOf(classes),
  ),
  insiderShare: liquidity.now(
    share,
    'Share held by the creator or a wallet that sent an add: the largest of any v4 pool.',
    (row) => row.insiderShare,
  ),
  pools: liquidity.now(count, 'v4 pools created in the last 24 h.', (row) => row.v4PoolCount),
  checkedAt: liquidity.now(epochMs, 'When one of these pools was last profiled, epoch ms.', (row) => row.checkedAtMs),
})

const onCurve = fieldsOf<NonNullable<VerdictRow['curve']>>()

const curve = onCurve.resource('rhVerdictCurve', {
  progress: onCurve.now(share, 'ethInCurve / what fills the curve.', (row) => row.progress),
  ethInCurve: onCurve.now(z.number(), 'Real ETH held by the curve.', (row) => row.reserveEth),
  creator: onCurve.now(addressSchema.nullable(), 'Creator of the curve; null if unknown.', (row) => row.creator),
})

export const verdictRug = {
  schema: z.union([v4Liquidity.schema, curve.schema]).meta({ id: 'rhVerdictRug' }),
  /**
   * Returns null if the token has only v3 pools, because the service analyzes only the liquidity of v4 pools.
   */
  present(row: VerdictRow): Presented<typeof v4Liquidity> | Presented<typeof curve> | null {
    if (row.curve !== null) return curve.present(row.curve)
    const { checkedAtMs } = row
    return checkedAtMs === null ? null : v4Liquidity.present({ ...row, checkedAtMs })
  },
}

const called = fieldsOf<VerdictPrecallRow>()

export const verdictPrecall = called.resource('rhVerdictPrecall', {
  postedAt: called.signal(epochMs, 'First post of the call, epoch ms.', (row) => row.postedAtMs),
  tracked: called.signal(z.boolean(), 'The token was tracked when it was posted.', (row) => row.isTracked),
  flags: called.seconds(z.array(z.enum(precallFlags)), 'Signs in the trades before the call.', ({ flags }) => [
    ...flags,
  ]),
  buys: called.signal(
    count.nullable(),
    'Buys in the 10 min before the post; null if the token was not tracked, because then they are unknown.',
    (row) => (row.isTracked ? row.buys : null),
  ),
  buyEth: called.signal(z.number().min(0).nullable(), 'ETH spent on them; null if not tracked.', (row) =>
    row.isTracked ? row.buyEth : null,
  ),
  run60: called.signal(
    z.number().nullable(),
    'Price at the post / price an hour before; null if one is not known.',
    (row) => row.run60,
  ),
  ageAtCallMin: called.signal(
    z.number().min(0).nullable(),
    'Minutes from the opening of the token to the post; null if that is not known.',
    ({ ageAtCallMs }) => ageAtCallMs && ageAtCallMs / minuteMs,
  ),
  wallets: called.seconds(
    count.nullable(),
    `Distinct wallets that bought then, as far as the newest ${callRules.sendersAskedMax} transactions tell; null until they are known, and if they cannot be.`,
    (row) => row.wallets,
  ),
  sameBlockWallets: called.seconds(count.nullable(), 'Most of them in one block.', (row) => row.sameBlockWallets),
})

const desk = fieldsOf<Pick<VerdictRow, 'lastTrade' | 'shadows'>>()

export const verdictDesk = desk.resource('rhVerdictDesk', {
  lastTrade: desk.outcome(
    lastTrade.schema.nullable(),
    'The last closed trade of the last 48 h; null without one.',
    (row) => row.lastTrade && lastTrade.present(row.lastTrade),
  ),
  firstShadow: desk.outcome(
    deskShadow.schema.nullable(),
    'The first signal of the last 48 h whose hour is over; null without one.',
    ({ shadows: [first] }) => (first === undefined ? null : deskShadow.present(first)),
  ),
})
