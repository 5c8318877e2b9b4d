/**
 * The chain A resources as they are answered, each field with its availability class:
 * `signal` known when the burst fires, `signal+seconds` filled 5-60 s later, `signal+30m` an outcome and never an input,
 * `now` state as of the answer. Tests hold every response to these; the data dictionary is made from them.
 */
import { z } from 'zod'
import { exitReasons, lpClasses, shapes, tiers } from './derived.ts'
import { dexes } from './facts.ts'

type Availability = 'signal' | 'signal+seconds' | 'signal+30m' | 'now'

const field = <Schema extends z.ZodType>(availability: Availability, schema: Schema, description: string): Schema =>
  schema.meta({ availability, description })

const signal = <Schema extends z.ZodType>(schema: Schema, description: string) => field('signal', schema, description)
const seconds = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  field('signal+seconds', schema, description)
const outcome = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  field('signal+30m', schema, description)
const now = <Schema extends z.ZodType>(schema: Schema, description: string) => field('now', schema, description)

const address = z.string().regex(/^0x[0-9a-f]{40}$/)
const poolId = z.string().regex(/^0x([0-9a-f]{40}|[0-9a-f]{64})$/)
const burstIdSchema = z.string().regex(/^[0-9a-f]{16}$/)
const count = z.int().min(0)
const share = z.number().min(0).max(1)
const epochMs = z.int().min(0)

/** Avro writes `_` where answers write `-`, and `held_rug` where they write `held+rug`. */
export const exitReasonNames = Object.fromEntries(
  exitReasons.map((reason) => [reason, reason === 'held_rug' ? 'held+rug' : reason.replaceAll('_', '-')]),
) as Readonly<Record<(typeof exitReasons)[number], string>>

const ruleExit = z.strictObject({
  ret: z.number(),
  why: z.enum(Object.values(exitReasonNames) as [string, ...string[]]),
  sec: z.int().min(0).nullable(),
})

const rhOutcome = z
  .discriminatedUnion('scored', [
    z.strictObject({ scored: z.literal(false) }),
    z.strictObject({
      scored: z.literal(true),
      scoredAt: outcome(epochMs.nullable(), 'When the outcome was written, epoch ms.'),
      ret30m: outcome(z.number(), 'Return from the signal price to 30 minutes, costs off.'),
      peakRet: outcome(z.number(), 'Best price in the window against the signal price; not attainable.'),
      ruleRet: outcome(z.number(), 'Return under the live exit rule.'),
      byRule: outcome(
        z.record(z.string(), ruleExit),
        'Return, reason and second of exit by opaque rule id; `hold` is the baseline.',
      ),
      rug: outcome(
        z.strictObject({ atSec: z.int().min(0), lpRemoved: share }).nullable(),
        'At least 80 % of the liquidity was removed within the window.',
      ),
    }),
  ])
  .meta({ id: 'rhOutcome' })

const lpShares = (availability: Availability) => ({
  insiderShare: field(
    availability,
    share,
    'Share of L still held by the creator or who sent an add; 0.5 and more is the rug tell.',
  ),
  burnedShare: field(availability, share, 'Share sent to the zero or the dead address.'),
  contractShare: field(availability, share, 'Share added by a contract that is not the position manager.'),
  otherShare: field(availability, share, 'Share held by any other wallet; lockers of position NFTs count here.'),
  unknownShare: field(availability, share, 'Share whose owner could not be established.'),
})

const rhLp = z
  .strictObject({
    class: seconds(
      z.enum(['held', 'safe', 'unknown']),
      'Who could pull the liquidity; `unknown` is never safe. It becomes `unknown`, and the shares with it, when the node names another owner than the log, mostly within the minute; the row does not say when: knownAt dates the signal alone.',
    ),
    ...lpShares('signal+seconds'),
    lpAgeMin: seconds(z.number().min(0), 'Minutes from the first liquidity add to the signal.'),
    estimated: seconds(z.literal(false), 'The signal block is always known here.'),
  })
  .meta({ id: 'rhLp' })

const rhBurst = z
  .strictObject({
    id: signal(burstIdSchema, 'Stable row id; dedupe on it.'),
    at: signal(epochMs, 'Signal time: the time of the block that met the rule.'),
    token: signal(address, 'Token contract.'),
    pool: signal(poolId, 'v4 pool id or v3 pool address.'),
    tier: signal(z.enum(tiers), 'Which rule fired.'),
    dex: signal(z.enum(dexes), 'Version of the exchange.'),
    shape: signal(z.enum(shapes), 'How the buying is made up.'),
    inflowEth: signal(z.number(), 'Net ETH in over the window.'),
    buys: signal(count, 'Buy swaps in the window.'),
    sells: signal(count, 'Sell swaps in the window.'),
    windowSec: signal(count, 'Window length in seconds.'),
    poolAgeMin: signal(z.number(), 'Minutes since the pool was created.'),
    sameSizeMax: signal(count, 'Most buys of one identical size.'),
    top3Share: signal(share, 'Share of the buying in its three largest swaps.'),
    sizeCV: signal(z.number().min(0), 'Population standard deviation / mean of the buy sizes.'),
    buyers: seconds(count.nullable(), 'Distinct senders of the buys; main tier only.'),
    repeatBuyers: seconds(count.nullable(), 'Of those, seen in earlier bursts of the last 30 days; main tier only.'),
    lp: seconds(rhLp.nullable(), 'Who held the liquidity at the signal block; v4 main and lite bursts, else null.'),
    outcome: outcome(rhOutcome, '`{scored:false}` until scored.'),
    supersedes: signal(
      burstIdSchema.nullable(),
      'Id of the row that a revert of the chain withdrew in favour of this one; null for all others.',
    ),
    knownAt: signal(
      epochMs,
      'When the log knew the signal as shown: what a client could have had, no earlier; the revert, where one changed the row.',
    ),
    publishedAt: signal(epochMs, 'When the row was written; later than knownAt when the service was behind.'),
  })
  .meta({ id: 'rhBurst' })

const pool = z
  .strictObject({
    id: now(poolId, 'v4 pool id or v3 pool address.'),
    dex: now(z.enum(dexes), 'Version of the exchange.'),
    token: now(address, 'Token contract.'),
    createdBlock: now(count, 'Block of creation.'),
    ageMin: now(z.number().min(0), 'Minutes since creation.'),
    lastPx: now(z.number(), 'Last swap price, ETH per raw token unit; the initial price before any swap.'),
    liqEth: now(z.number().min(0), 'ETH side of the liquidity at the last swap.'),
    lastSwapAt: now(epochMs, 'Time of the last swap; of the creation before any.'),
    net60m: now(z.number(), 'Net ETH in over the 60 minutes that the flow route lists.'),
    buys60m: now(count, 'Buy swaps, the same 60 minutes.'),
    sells60m: now(count, 'Sell swaps, the same 60 minutes.'),
    fired: now(z.array(z.enum(tiers)), 'Tiers that have fired on the pool.'),
  })
  .meta({ id: 'pool' })

export const minuteColumns = ['minuteStartMs', 'netEth', 'buyEth', 'sellEth', 'buys', 'sells'] as const

const poolFlow = pool
  .extend({
    mins: now(
      z.array(z.array(z.number()).length(minuteColumns.length)).length(60),
      'The last 60 minutes, oldest first, the running one last.',
    ),
    minCols: now(z.array(z.enum(minuteColumns)), 'What the numbers of a row are.'),
  })
  .meta({ id: 'poolFlow' })

const rugProfile = z
  .strictObject({
    pool: now(poolId, 'v4 pool id.'),
    token: now(address, 'Token contract.'),
    dex: now(z.literal('v4'), 'Liquidity of v3 pools is not profiled.'),
    poolAgeMin: now(z.number().min(0), 'Minutes since the pool was created, at the check.'),
    checkedAt: now(
      epochMs,
      'When the pool was profiled, epoch ms: every 10 minutes until it is 6 hours old, and whenever its liquidity or an owner changes. Since then nothing did.',
    ),
    block: now(
      count,
      'Newest block with an event of the token’s pools or curve, up to checkedAt: ownership as of its end, unchanged by checkedAt.',
    ),
    class: now(z.enum(lpClasses), 'Who can pull the liquidity; `empty`: there is none.'),
    ...lpShares('now'),
    lpAgeMin: now(z.number().min(0), 'Minutes from the first liquidity add to the check; 0 before any.'),
    lpAdds: now(count, 'Liquidity adds seen.'),
    creator: now(address.nullable(), 'Who sent the transaction that created the pool.'),
  })
  .meta({ id: 'rugProfile' })

const launchCurve = z
  .strictObject({
    curve: now(address, 'Curve contract.'),
    graduated: now(z.boolean(), 'The curve is full; until the pool is there the token is still shown here.'),
    symbol: now(z.string().nullable(), 'Symbol of the token.'),
    creator: now(address.nullable(), 'Who launched it.'),
    launchBlock: now(count.nullable(), 'Block of the launch.'),
    ageMin: now(z.number().min(0).nullable(), 'Minutes since the launch, at checkedAt.'),
    gradBlock: now(count.nullable(), 'Block of the graduation into a pool.'),
    thresholdEth: now(z.number().nullable(), 'ETH that fills the curve.'),
    ethInCurve: now(z.number().nullable(), 'Real ETH held by the curve.'),
    progress: now(share.nullable(), 'ethInCurve / thresholdEth.'),
    mcapUsd: now(z.number().nullable(), 'Spot price times supply.'),
    feeBps: now(z.int().min(0).nullable(), 'Median fee and creator tax of the last 30 buys, basis points.'),
    readBlock: now(count.nullable(), 'Block of the newest change shown.'),
    checkedAt: now(epochMs.nullable(), 'Time of that block, epoch ms.'),
  })
  .meta({ id: 'launchCurve' })

const crew = z
  .strictObject({
    wallet: now(address, 'Transaction sender.'),
    bursts: now(z.int().min(3), 'Burst windows of the last 30 days with a buy of this sender.'),
    lastSeenAt: now(epochMs, 'Signal time of the newest one, floored to the minute.'),
    lastSeenMinAgo: now(count, 'Whole minutes since then.'),
  })
  .meta({ id: 'crew' })

const chainAEnvelope = z.strictObject({
  chain: z.string(),
  schemaVersion: z.literal(1),
  generatedAt: epochMs,
  ageSec: z.int().min(0),
  ethUsd: z.number().positive(),
  rules: z.strictObject({
    main: z.string(),
    lite: z.string(),
    refire: z.string(),
    old: z.string(),
    outcome: z.string(),
  }),
})

export const burstsLiveAnswer = chainAEnvelope.extend({
  bursts: z.array(rhBurst),
  note: z.string().optional(),
  latest: rhBurst.nullable().optional(),
})
export const burstsHistoryAnswer = chainAEnvelope.extend({ bursts: z.array(rhBurst) })
export const poolsNewAnswer = chainAEnvelope.extend({ pools: z.array(pool) })
export const poolFlowAnswer = chainAEnvelope.extend({ pool: poolFlow, bursts: z.array(rhBurst) })

/** Most pools that a rug check lists. */
export const rugCheckPoolsMax = 50

/** The object of a token on its curve stands under the launchpad's own name, which is configuration. */
export const rugCheckAnswer = (launchpadKey: string) =>
  z.strictObject({
    chain: z.string(),
    schemaVersion: z.literal(1),
    generatedAt: epochMs,
    ageSec: z.int().min(0),
    token: now(address, 'Token contract.'),
    class: now(
      z.enum([...lpClasses, 'launchpad-curve']),
      'The riskiest of all v4 pools of the last 24 h, in the order held, unknown, empty, safe; `unknown` with v3 pools alone.',
    ),
    pools: now(
      z.array(rugProfile).max(rugCheckPoolsMax),
      `The v4 pools created in the last 24 h, oldest first; of more than ${rugCheckPoolsMax} those with the most ETH at their last swap; none on the curve.`,
    ),
    note: now(z.string().optional(), 'What `pools` leaves out: how many there are of more than it shows, v3 pools.'),
    [launchpadKey]: launchCurve.optional(),
  })

export const crewsAnswer = chainAEnvelope.extend({
  walletsTracked: now(count.nullable(), 'Wallets that bought in any burst of the last 30 days.'),
  crews: now(z.array(crew), 'Most bursts first.'),
})

const ratio = share.nullable()

/** Most new pools in a snapshot, as many as the list of new pools gives at most. */
export const snapshotPoolsMax = 1000

export const snapshotAnswer = (chainName: string) =>
  z.strictObject({
    schemaVersion: z.literal(1),
    generatedAt: epochMs,
    ageSec: z.int().min(0),
    windowMin: count,
    [chainName]: z.strictObject({
      ethUsd: now(z.number().positive(), 'ETH price in USD.'),
      bursts: now(z.array(rhBurst), 'Of all tiers, newest first.'),
      newPools: now(
        z.array(pool).max(snapshotPoolsMax),
        `Opened in the last hour, youngest first; the youngest ${snapshotPoolsMax} of more.`,
      ),
      last24h: z.strictObject({
        bursts: now(count, 'Bursts of the last 24 h.'),
        scored: now(count, 'Of those, scored.'),
        medianRet30m: now(z.number().nullable(), 'Median of ret30m; null while nothing is scored.'),
        medianRuleRet: now(z.number().nullable(), 'Median of ruleRet.'),
        rugCheck: z.strictObject({
          checked: now(count, 'Bursts with a liquidity class.'),
          held: now(count, 'Of those, class held.'),
          heldPct: now(ratio, 'held / checked, 0-1; null without any.'),
          heldScored: now(count, 'Held and scored.'),
          heldPulled: now(count, 'Held, scored and pulled within the window.'),
          heldPulledPct: now(ratio, 'heldPulled / heldScored, 0-1; null without any.'),
          safe: now(count, 'Class safe.'),
          safeScored: now(count, 'Safe and scored.'),
          safePulled: now(count, 'Safe, scored and pulled all the same.'),
        }),
      }),
    }),
  })

export type RhLp = z.infer<typeof rhLp>
export type RugProfile = z.infer<typeof rugProfile>
export type LaunchCurveAnswer = z.infer<typeof launchCurve>
export type Crew = z.infer<typeof crew>
export type RhBurst = z.infer<typeof rhBurst>
export type RhOutcome = z.infer<typeof rhOutcome>
export type Pool = z.infer<typeof pool>
