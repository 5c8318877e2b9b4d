/** A burst (sudden net buying) on a bonding curve. */
import { z } from 'zod'
import type { BurstRow } from '../../../projections/chain-b/queries/chain-b-queries.ts'
import { keepPresented } from '../../kept-json.ts'
import { filledField, publishedFields } from '../../published.ts'
import { fieldsOf } from '../../resource.ts'
import { gapsField } from '../../trade-gaps.ts'
import { count, epochMs, share } from '../../values.ts'
import type { Presentation } from '../dependencies.ts'
import { solAnatomy } from './anatomy.ts'
import { addressSchema, burstId, rowIdSchema } from './identifiers.ts'
import { solOutcome } from './outcome.ts'

const { signal, seconds, outcome, resource } = fieldsOf<BurstRow, Presentation>()

export const solBurst = resource('solBurst', {
  id: signal(rowIdSchema, 'Stable row id; dedupe on it.', ({ mint, atMs }) => burstId(mint, atMs)),
  at: signal(epochMs, 'Signal time: the time of the slot that met the rule.', (row) => row.atMs),
  mint: signal(addressSchema, 'Token mint.', (row) => row.mint),
  inflowSol: signal(z.number(), 'Net SOL into the curve over the window.', (row) => row.inflowSol),
  windowSec: signal(count, 'Window length in seconds.', (row) => row.windowSec),
  curveFrom: signal(share, 'Curve fill at the start of the window.', (row) => row.fillFrom),
  curveAt: signal(share, 'Curve fill at the signal.', (row) => row.fillAt),
  tokenAgeMin: signal(z.number().min(0), 'Minutes since the launch.', (row) => row.tokenAgeMin),
  anatomy: seconds(
    solAnatomy.schema.nullable(),
    'Who bought, and how; null until the holders were read.',
    ({ anatomy }) => anatomy && solAnatomy.present(anatomy),
  ),
  outcome: outcome(solOutcome.schema, '`{scored:false}` until scored.', (row, presentation) =>
    solOutcome.present(row.outcome && { atMs: row.atMs, ...row.outcome }, presentation),
  ),
  supersedes: signal(
    rowIdSchema.nullable(),
    'Id of the row that a reorg of the chain withdrew in favour of this one; null for all others.',
    ({ mint, supersedesAtMs }) => (supersedesAtMs === null ? null : burstId(mint, supersedesAtMs)),
  ),
  ...gapsField('the window, and once it is scored of the outcome,'),
  ...publishedFields('the signal as shown, which no client could have earlier'),
  ...filledField({
    'signal+seconds': '`anatomy`; its `repeatBuyers` becomes known up to 60 s later',
    'signal+30m': '`outcome`',
  }),
})

/** Presents a burst for the lists of the API. The result must not be changed. */
export const presentBurst = keepPresented(solBurst.present)
