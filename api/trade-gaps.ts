/** The fields that show which trades are known to be missing from the data of a row. */

import { z } from 'zod'
import type { GapCounts, MissingTrades } from '../projections/trade-gaps/missing-trades.ts'
import type { EpochMs } from '../schemas/units.ts'
import { described, fieldsOf } from './resource.ts'
import { count, epochMs } from './values.ts'

const { now, resource } = fieldsOf<MissingTrades>()

const parts = {
  trades: now(count.nullable(), 'Number of missing trades; null if unknown.', (gaps) => gaps.trades),
  volume: now(
    z.number().min(0).nullable(),
    'Volume of the missing trades in ETH or SOL. Trades that are not known individually count with their net, so it is a lower bound. Null if unknown.',
    (gaps) => gaps.volume,
  ),
  knownAt: now(epochMs, 'When the newest of these gaps became known.', (gaps) => gaps.knownAtMs),
}

const tradeGaps = resource('tradeGaps', parts)

type Row = Readonly<{ gaps: MissingTrades | null }>

const row = fieldsOf<Row>()

/**
 * `span`: the time that the field covers. `alsoNull`: further cases in which the field is null. The
 * availability is `now`, because missing trades may be found long after the row was written.
 */
export const gapsField = (span: string, alsoNull = '') => ({
  gaps: row.now(
    tradeGaps.schema.nullable(),
    `Trades of ${span} that are known to be missing. No field of the row counts them. Null if none are known to be missing${alsoNull}.`,
    ({ gaps }) => gaps && tradeGaps.present(gaps),
  ),
})

const minute = fieldsOf<Readonly<{ minuteAtMs: EpochMs; gaps: MissingTrades }>>()

const minuteGaps = minute.resource('minuteGaps', {
  minuteStartMs: minute.now(epochMs, 'Start of the minute.', ({ minuteAtMs }) => minuteAtMs),
  trades: minute.now(parts.trades.schema, 'As `gaps.trades` of a burst.', ({ gaps }) => gaps.trades),
  volume: minute.now(parts.volume.schema, 'As `gaps.volume` of a burst.', ({ gaps }) => gaps.volume),
  knownAt: minute.now(parts.knownAt.schema, 'As `gaps.knownAt` of a burst.', ({ gaps }) => gaps.knownAtMs),
})

const flow = fieldsOf<Readonly<{ minutes: readonly (Row & Readonly<{ minuteAtMs: EpochMs }>)[] }>>()

/** The field that lists the minutes in which trades are missing. */
export const minuteGapsField = {
  gaps: flow.now(
    z.array(minuteGaps.schema).nullable(),
    'The minutes of `mins` in which swaps are known to be missing, oldest first. A gap over several minutes is listed in each. Null if there are none.',
    ({ minutes }) => {
      const touched = minutes.flatMap(({ minuteAtMs, gaps }) => (gaps === null ? [] : [{ minuteAtMs, gaps }]))
      return touched.length === 0 ? null : touched.map((one) => minuteGaps.present(one))
    },
  ),
}

export const gapCountsSchema = described(
  'now',
  z.strictObject({
    open: described('now', count, 'Gaps whose trades are missing; chain B may still read them.'),
    givenUp: described('now', count, 'Gaps whose trades stay missing.'),
    late: described('now', count, 'Gaps whose trades were read too late to count.'),
    undetectable: described(
      'now',
      z.strictObject({
        markets: described(
          'now',
          count,
          'Markets of the last 24 h in which no missing trade is detected; `what` names them.',
        ),
        what: described(
          'now',
          z.string(),
          'Which markets `markets` counts, and which other missing trades are not detected.',
        ),
      }),
      'Missing trades that cannot be detected. No row shows them, and no other count has them.',
    ),
  }),
  'Gaps of the last 24 h in the trades of the chain, by their state. The rows that they touch say so.',
)

export type GapCountsAnswer = z.output<typeof gapCountsSchema>

/**
 * Returns the counts of gaps (series of missing trades) for an answer. `what`: a text that says which missing
 * trades of the chain are not detected.
 */
export const gapCountsAnswerOf = ({ unchecked, ...counts }: GapCounts, what: string): GapCountsAnswer => ({
  ...counts,
  undetectable: { markets: unchecked, what },
})
