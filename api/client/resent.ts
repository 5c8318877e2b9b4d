/** Checks the events that the service sends again after a cursor. */
import { createHash } from 'node:crypto'
import { OperationError } from '../../infra/errors.ts'
import { isAboutRow } from './stream-events.ts'

/** An event, also as the text of its data. */
export type ReadEvent = Readonly<{ name: string; id: string | undefined; text: string; data: object }>

/**
 * Returns a function that takes each event of a connection that began after the cursor `from`, and returns whether
 * the connection has caught up. The function throws `stream_failed` if the events that arrived are not those that
 * `caught-up` names.
 */
export function createResentCheck(from: string): (event: ReadEvent) => boolean {
  const hash = createHash('sha256')
  let count = 0
  let isCaughtUp = false
  const checkEnd = (end: Readonly<{ count?: unknown; hash?: unknown }>) => {
    if (end.count === count && end.hash === hash.digest('hex')) return
    throw new OperationError(
      'stream_failed',
      'the events that arrived are not those that the service sent again. Continue from the cursor in the context',
      { context: { cursor: from, arrived: count, sent: end.count } },
    )
  }
  return ({ name, id, text, data }) => {
    if (isCaughtUp) return true
    if (name === 'caught-up') {
      checkEnd(data)
      isCaughtUp = true
    } else if (isAboutRow(name)) {
      hash.update(`id: ${id}\ndata: ${text}\n`)
      count += 1
    }
    return isCaughtUp
  }
}
