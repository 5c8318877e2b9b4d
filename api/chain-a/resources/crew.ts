/** A wallet that buys in several bursts. */

import { z } from 'zod'
import type { CrewRow } from '../../../projections/chain-a/queries/chain-a-views.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { minuteMs } from '../../../schemas/units.ts'
import { minutesBetween } from '../../durations.ts'
import { fieldsOf } from '../../resource.ts'
import { count, epochMs } from '../../values.ts'
import { addressSchema } from './identifiers.ts'

/** Floored to the minute, so that it does not reveal the wallet's transaction. */
const lastSeenAtMs = (row: CrewRow): number => Math.floor(row.lastSeenAtMs / minuteMs) * minuteMs

const { now, resource } = fieldsOf<CrewRow, StageCut>()

export const crew = resource('crew', {
  wallet: now(addressSchema, 'Transaction sender.', (row) => row.wallet),
  bursts: now(z.int().min(3), 'Burst windows of the last 30 days with a buy of this sender.', (row) => row.bursts),
  lastSeenAt: now(epochMs, 'Signal time of the newest one, floored to the minute.', lastSeenAtMs),
  lastSeenMinAgo: now(count, 'Whole minutes from then to generatedAt.', (row, { atMs }) =>
    Math.max(0, Math.floor(minutesBetween(lastSeenAtMs(row), atMs))),
  ),
})
