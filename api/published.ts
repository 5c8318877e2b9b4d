/** When a row could be had: what every row of a list of signals says of itself. */
import { fieldsOf } from './resource.ts'
import { epochMs } from './values.ts'

type Row = Readonly<{ knownAtMs: number; publishedAtMs: number }>

const { signal } = fieldsOf<Row>()

/** `known`: what the log knew by then, of this kind of row. */
export const publishedFields = (known: string) => ({
  knownAt: signal(
    epochMs,
    `When the log knew ${known}; the reorg, where one changed the row.`,
    ({ knownAtMs }) => knownAtMs,
  ),
  publishedAt: signal(
    epochMs,
    'When the row was written; later than knownAt when the service was behind.',
    ({ publishedAtMs }) => publishedAtMs,
  ),
})
