/** The bonding curve of a token that is not in a pool yet. */
import { z } from 'zod'
import type { CurveRow } from '../../../projections/chain-a/queries/chain-a-queries.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { minutesBetween } from '../../durations.ts'
import { fieldsOf, type Presented } from '../../resource.ts'
import { count, epochMs, share } from '../../values.ts'
import { addressSchema } from './identifiers.ts'

const { now, resource } = fieldsOf<CurveRow, StageCut>()

export const launchCurve = resource('launchCurve', {
  curve: now(addressSchema, 'Curve contract.', (row) => row.curve),
  graduated: now(
    z.boolean(),
    'The curve is full. The token stays here until its pool exists.',
    (row) => row.isCompleted,
  ),
  symbol: now(z.string().nullable(), 'Symbol of the token.', (row) => row.symbol),
  creator: now(addressSchema.nullable(), 'Creator of the token.', (row) => row.creator),
  launchBlock: now(count.nullable(), 'Block of the launch.', (row) => row.launchBlock),
  ageMin: now(z.number().min(0).nullable(), 'Minutes since the launch, at checkedAt.', ({ launchAtMs, readAtMs }) =>
    launchAtMs === null ? null : minutesBetween(launchAtMs, readAtMs),
  ),
  // Always null: as soon as the pool of a token exists, answers show the pool instead of the curve.
  gradBlock: now(count.nullable(), 'Block of the graduation into a pool.', () => null),
  thresholdEth: now(z.number().nullable(), 'ETH that fills the curve.', (row) => row.graduationEth),
  ethInCurve: now(z.number().nullable(), 'Real ETH held by the curve.', (row) => row.reserveEth),
  progress: now(share.nullable(), 'ethInCurve / thresholdEth.', (row) => row.progress),
  mcapUsd: now(z.number().nullable(), 'Spot price times supply.', ({ marketCapEth }, { coinPrice }) =>
    coinPrice === null ? null : marketCapEth * coinPrice.usd,
  ),
  feeBps: now(
    z.int().min(0).nullable(),
    'Median fee and creator tax of the last 30 buys, basis points.',
    (row) => row.feeBps,
  ),
  readBlock: now(count.nullable(), 'Block of the newest change shown.', (row) => row.readBlock),
  checkedAt: now(epochMs.nullable(), 'Time of that block, epoch ms.', (row) => row.readAtMs),
})

export type LaunchCurve = Presented<typeof launchCurve>
