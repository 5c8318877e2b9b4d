/**
 * The chain A resources as they are answered, each field with its availability class:
 * `signal` known when the burst fires, `signal+seconds` filled 5-60 s later, `signal+30m` an outcome and never an input,
 * `now` state as of the answer. Tests hold every response to these; the data dictionary is made from them.
 */
import { z } from 'zod'
import { exitReasons, shapes, tiers } from '../chain-a/derived.ts'
import { dexes } from '../chain-a/facts.ts'

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
    lp: seconds(z.null(), 'Who held the liquidity at the signal block; null until it is read.'),
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

export type RhBurst = z.infer<typeof rhBurst>
export type RhOutcome = z.infer<typeof rhOutcome>
export type Pool = z.infer<typeof pool>
