/** A wallet's buy that the service follows, and the result of a simulated copy of the buy. */
import { z } from 'zod'
import type { CopyBuyRow } from '../../../projections/chain-b/queries/chain-b-queries.ts'
import { shadowRules } from '../../../schemas/chain-b/copy-rules.ts'
import { type CopyExit, copyExits } from '../../../schemas/chain-b/derived.ts'
import { filledField, publishedFields } from '../../published.ts'
import { fieldsOf } from '../../resource.ts'
import { gapsField } from '../../trade-gaps.ts'
import { count, epochMs, share } from '../../values.ts'
import { addressSchema, buyId, rowIdSchema } from './identifiers.ts'

/**
 * The names of exit reasons in answers. An exit reason says why a simulated copy of a buy was sold. The names
 * have `-` where the Avro names have `_`.
 */
const exitNames = Object.fromEntries(copyExits.map((exit) => [exit, exit.replaceAll('_', '-')])) as Readonly<
  Record<CopyExit, string>
>

const { signal, outcome, resource } = fieldsOf<CopyBuyRow>()

export const copyBuy = resource('copyBuy', {
  buyId: signal(rowIdSchema, 'Stable row id; dedupe on it.', ({ mint, txHash, logIndex }) =>
    buyId(mint, txHash, logIndex),
  ),
  at: signal(epochMs, 'Time of the buy: that of its slot.', (row) => row.atMs),
  mint: signal(addressSchema, 'Token mint.', (row) => row.mint),
  leaderSol: signal(z.number().min(0), 'SOL that the wallet spent, fees left out.', (row) => row.leaderSol),
  curveAt: signal(share, 'Curve fill right after the buy; 1 in the pool.', (row) => row.fillAt),
  tokenAgeMin: signal(
    z.number().min(0).nullable(),
    'Minutes since the launch; null where it is not known.',
    (row) => row.tokenAgeMin,
  ),
  otherLeaders: signal(
    count.nullable(),
    'Other leaders that had bought the mint before; null if no list of leaders was in force.',
    (row) => row.otherLeaders,
  ),
  quoteDrift: outcome(
    z.number().nullable(),
    'How far the price had moved before the fill of the copy.',
    ({ result }) => result?.quoteDrift ?? null,
  ),
  fillSlip: outcome(
    z.number().nullable(),
    'How much more than the leader the copy paid per token.',
    ({ result }) => result?.fillSlip ?? null,
  ),
  leaderNext: outcome(
    z.strictObject({ sellAfterSec: count, soldShare: share, gain: z.number() }).nullable(),
    'The first sale of the wallet after the buy; null if it did not sell within 60 minutes.',
    ({ result }) => saleOf(result),
  ),
  path60m: outcome(
    z.array(z.tuple([count, z.number()])).nullable(),
    'The 60 minutes after the buy: [seconds after it, return on the price right after it].',
    ({ result }) => result && pathOf(result.path),
  ),
  ret: outcome(
    z.number().nullable(),
    'Return of the copy, fees deducted; null for buys that are not replayed.',
    ({ result }) => result?.ret ?? null,
  ),
  exit: outcome(
    z.enum(Object.values(exitNames) as [string, ...string[]]).nullable(),
    'Why the copy was sold.',
    ({ result }) => exitOf(result),
  ),
  ...gapsField(
    'the curve in the 60 minutes after the buy, for a sale also since an hour before the wallet’s first buy of the mint, and for a buy in the pool in the 5 minutes before it,',
  ),
  ...publishedFields('the buy as shown, which no client could have earlier'),
  ...filledField({ 'signal+30m': 'the results of the 60 minutes after the buy' }),
})

type Result = CopyBuyRow['result']

const exitOf = (result: Result): string | null =>
  result === null || result.exit === null ? null : exitNames[result.exit]

const pathOf = (path: readonly number[]): [number, number][] =>
  shadowRules.pathSec.flatMap((sec, index): [number, number][] => {
    const ret = path[index]
    return ret === undefined ? [] : [[sec, ret]]
  })

function saleOf(result: Result) {
  if (result === null) return null
  const { saleAfterSec, saleShare, saleGain } = result
  const hasSold = saleAfterSec !== null && saleShare !== null && saleGain !== null
  return hasSold ? { sellAfterSec: saleAfterSec, soldShare: saleShare, gain: saleGain } : null
}
