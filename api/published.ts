/** When a row could be had: what every row of a list of signals says of itself. */
import { type Availability, fieldsOf } from './resource.ts'
import { epochMs } from './values.ts'

type Row = Readonly<{ knownAtMs: number; publishedAtMs: number }>

const { field } = fieldsOf<Row>()

/** `known`: what the log knew by then, of this kind of row. `availability`: `now` of rows that are shown in their last version. */
export const publishedFields = (known: string, availability: Availability = 'signal') => ({
  knownAt: field(availability)(
    epochMs,
    `When the log knew ${known}; the reorg, where one changed the row.`,
    ({ knownAtMs }) => knownAtMs,
  ),
  publishedAt: field(availability)(
    epochMs,
    'When the row was written; later than knownAt when the service was behind.',
    ({ publishedAtMs }) => publishedAtMs,
  ),
})
