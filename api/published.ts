/**
 * The fields that show when the service knew a row and when the row was published. Every list of signals has
 * these fields.
 */
import { z } from 'zod'
import type { EpochMs } from '../schemas/units.ts'
import { type Availability, described, fieldsOf } from './resource.ts'
import { epochMs } from './values.ts'

type Row = Readonly<{ knownAtMs: EpochMs; publishedAtMs: EpochMs }>

const { field, now, resource } = fieldsOf<Row>()

/**
 * `known`: the end of the sentence “When the log knew …” in the description of `knownAt`. `availability`:
 * `now` for rows that are shown in their last version.
 */
export const publishedFields = (known: string, availability: Availability = 'signal') => ({
  knownAt: field(availability)(
    epochMs,
    `When the log knew ${known}. If a reorg changed the row, when the log knew of the reorg.`,
    ({ knownAtMs }) => knownAtMs,
  ),
  publishedAt: field(availability)(
    epochMs,
    'When the row was written. Much later than knownAt if the service was behind.',
    ({ publishedAtMs }) => publishedAtMs,
  ),
})

const filledAt = resource('filledAt', {
  knownAt: now(epochMs, 'When the log knew the newest value of the class that is shown.', ({ knownAtMs }) => knownAtMs),
  publishedAt: now(
    epochMs,
    'When that value was written. Much later than knownAt if the service was behind.',
    (row) => row.publishedAtMs,
  ),
})

/**
 * The availability classes of the fields that become known after the signal, with the names that the tables
 * use.
 */
const laterClasses = { 'signal+seconds': 'seconds', 'signal+30m': 'outcome' } as const
type LaterClass = keyof typeof laterClasses

const filledRow = fieldsOf<Readonly<{ filled: Readonly<{ seconds: Row | null; outcome: Row | null }> }>>()

/**
 * `descriptions`: the later availability classes that the row has. The value of each class is a text that
 * describes the fields of this class.
 */
export function filledField(descriptions: Readonly<Partial<Record<LaterClass, string>>>) {
  const classes = Object.entries(descriptions) as readonly (readonly [LaterClass, string])[]
  const shape = Object.fromEntries(
    classes.map(([name, what]) => [
      name,
      described(name, filledAt.schema.nullable(), `Times of ${what}; null until then.`),
    ]),
  )
  return {
    filled: filledRow.now(
      z.strictObject(shape),
      'When the fields of each later class became known. A backtest may not read them earlier. A reorg that changed a field counts.',
      ({ filled }) =>
        Object.fromEntries(
          classes.map(([name]) => {
            const stamp = filled[laterClasses[name]]
            return [name, stamp && filledAt.present(stamp)]
          }),
        ),
    ),
  }
}
