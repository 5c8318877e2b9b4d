/**
 * The fields about a wallet's sells: how soon it sold after the buys that the service followed, and how much
 * it gained.
 */
import { z } from 'zod'
import type { LeaderListRow } from '../../../projections/chain-b/queries/chain-b-queries.ts'
import { fieldsOf, type Presented } from '../../resource.ts'
import { count, share } from '../../values.ts'

type Sold = Pick<LeaderListRow['leaders'][number], 'shadowed' | 'sold' | 'medSoldSec' | 'medSellGain' | 'soldWithin60s'>

const { now, resource } = fieldsOf<Sold>()

const sells = resource('leaderSells', {
  observed: now(
    count,
    'Followed buys whose hour is over. After each, the wallet was watched for a sale.',
    (row) => row.shadowed,
  ),
  sold: now(count, 'Those of these buys after which the wallet sold within the hour.', (row) => row.sold),
  soldShare: now(share, 'sold / observed.', (row) => row.sold / row.shadowed),
  medSoldSec: now(
    z.number().min(0).nullable(),
    'Median of the seconds from the buy to the first sale; null when sold is 0.',
    (row) => row.medSoldSec,
  ),
  medSellGain: now(
    z.number().nullable(),
    'Median of (proceeds per token / cost per token - 1), fees included; null if sold is 0.',
    (row) => row.medSellGain,
  ),
  soldWithin60sShare: now(
    share,
    'Share of the observed buys after which the wallet sold within 60 seconds.',
    (row) => row.soldWithin60s / row.shadowed,
  ),
})

export const leaderSells = {
  schema: sells.schema,
  /** Returns null if the service has not yet followed any buy of the wallet for 60 minutes. */
  present: (row: Sold): Presented<typeof sells> | null => (row.shadowed === 0 ? null : sells.present(row)),
}
