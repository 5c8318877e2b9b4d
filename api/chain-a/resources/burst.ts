import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { BurstRow, LpRow } from '../../../projections/chain-a/queries/chain-a-queries.ts'
import { shapes, tiers } from '../../../schemas/chain-a/derived.ts'
import { dexes } from '../../../schemas/chain-a/facts.ts'
import { tiersWithLiquidity, tiersWithShownBuyers } from '../../../schemas/chain-a/tier-traits.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { minutesBetween } from '../../durations.ts'
import { keepPresented } from '../../kept-json.ts'
import { filledField, publishedFields } from '../../published.ts'
import { fieldsOf, type Presented } from '../../resource.ts'
import { gapsField } from '../../trade-gaps.ts'
import { count, epochMs, share } from '../../values.ts'
import type { Presentation } from '../dependencies.ts'
import { addressSchema, poolIdSchema } from './identifiers.ts'
import { lpShareFields } from './lp-shares.ts'
import { rhOutcome } from './outcome.ts'

const burstIdSchema = z.string().regex(/^[0-9a-f]{16}$/)

/** Returns the id of a burst: the first 16 hex digits of sha1 over `a:pool:tier:at`. */
export const burstId = ({ pool, tier, atMs }: Pick<BurstRow, 'pool' | 'tier' | 'atMs'>): string =>
  createHash('sha1').update(`a:${pool}:${tier}:${atMs}`).digest('hex').slice(0, 16)

const lpFields = fieldsOf<LpRow & Readonly<{ atMs: EpochMs }>>()

const rhLp = lpFields.resource('rhLp', {
  class: lpFields.seconds(
    z.enum(['held', 'safe', 'unknown']),
    'Who could pull the liquidity; `unknown` is never safe. It becomes `unknown`, and so do the shares, if the node names another owner than the log, mostly within the minute; `filled` says when.',
    // An empty pool has no liquidity holders, so answers show its risk class as unknown.
    (row) => (row.class === 'empty' ? 'unknown' : row.class),
  ),
  ...lpShareFields('signal+seconds'),
  lpAgeMin: lpFields.seconds(
    z.number().min(0),
    'Minutes from the first liquidity add to the signal.',
    ({ firstAddAtMs, atMs }) => (firstAddAtMs === null ? 0 : minutesBetween(firstAddAtMs, atMs)),
  ),
  estimated: lpFields.seconds(z.literal(false), 'The signal block is always known here.', () => false as const),
})

const shownFor = `${tiersWithShownBuyers.join(' and ')} tier only`

const { signal, seconds, outcome, resource } = fieldsOf<BurstRow, Presentation>()

export const rhBurst = resource('rhBurst', {
  id: signal(burstIdSchema, 'Stable row id; dedupe on it.', burstId),
  at: signal(epochMs, 'Signal time: the time of the block that met the rule.', (row) => row.atMs),
  token: signal(addressSchema, 'Token contract.', (row) => row.token),
  pool: signal(poolIdSchema, 'v4 pool id or v3 pool address.', (row) => row.pool),
  tier: signal(z.enum(tiers), 'Which rule fired.', (row) => row.tier),
  dex: signal(z.enum(dexes), 'Version of the exchange.', (row) => row.dex),
  shape: signal(z.enum(shapes), 'Pattern of the buys.', (row) => row.shape),
  inflowEth: signal(z.number(), 'Net ETH in over the window.', (row) => row.inflowEth),
  buys: signal(count, 'Buy swaps in the window.', (row) => row.buys),
  sells: signal(count, 'Sell swaps in the window.', (row) => row.sells),
  windowSec: signal(count, 'Window length in seconds.', (row) => row.windowSec),
  poolAgeMin: signal(z.number(), 'Minutes since the pool was created.', (row) => row.poolAgeMin),
  sameSizeMax: signal(count, 'Most buys of one identical size.', (row) => row.sameSizeMax),
  top3Share: signal(share, 'Share of the buying in its three largest swaps.', (row) => row.top3Share),
  sizeCV: signal(z.number().min(0), 'Population standard deviation / mean of the buy sizes.', (row) => row.sizeCv),
  buyers: seconds(count.nullable(), `Distinct senders of the buys; ${shownFor}.`, (row) => row.buyers),
  repeatBuyers: seconds(
    count.nullable(),
    `Buyers that were also in earlier bursts of the last 30 days; ${shownFor}. Null while the buyers of earlier bursts are unknown.`,
    (row) => row.repeatBuyers,
  ),
  lp: seconds(
    rhLp.schema.nullable(),
    `Who held the liquidity at the signal block; v4 ${tiersWithLiquidity.join(' and ')} bursts, else null.`,
    ({ lp, atMs }) => lp && rhLp.present({ atMs, ...lp }),
  ),
  outcome: outcome(rhOutcome.schema, '`{scored:false}` until scored.', (row, presentation) =>
    rhOutcome.present(row.outcome, presentation),
  ),
  supersedes: signal(
    burstIdSchema.nullable(),
    'Id of the row that a reorg of the chain withdrew in favour of this one; null for all others.',
    (row) => (row.supersedesAtMs === null ? null : burstId({ ...row, atMs: row.supersedesAtMs })),
  ),
  ...gapsField('the window, and once it is scored of the outcome,'),
  ...publishedFields('the signal as shown, which no client could have earlier'),
  ...filledField({
    'signal+seconds':
      '`buyers` and `lp`, the later of the two if both are shown; `repeatBuyers` becomes known up to 60 s after the buyers',
    'signal+30m': '`outcome`',
  }),
})

/** Presents a burst for the lists of the API. The result must not be changed. */
export const presentBurst = keepPresented(rhBurst.present)

export type RhBurst = Presented<typeof rhBurst>
