/** Checks whether the events after a cursor can be sent again, before the stream is opened. */
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import type { Stage } from '../../schemas/stage.ts'
import { type DurationMs, dayMs, type EpochMs, hourMs, minuteMs } from '../../schemas/units.ts'
import { type Refusal, refuse } from '../sale/refusals.ts'
import { type Cursor, createCursorText, type Place, parseCursor, placesOf } from './cursor.ts'
import type { FeedLog } from './feed.ts'

export type CursorCheck = (asked: string) => Promise<Readonly<{ cursor: Cursor } | { refusal: Refusal }>>

type CheckDependencies = Readonly<{ log: FeedLog['log']; stages: readonly Stage[]; nowMs: () => EpochMs }>

/** How far back events are sent again. The time at which a record was published counts. */
const againMs: DurationMs = dayMs
/** The oldest cursor in a refusal can still be used for this time. */
const usableMs: DurationMs = 5 * minuteMs
/** The search for the oldest cursor reads the log some hundred times, so its result is used again for this time. */
const searchEveryMs: DurationMs = minuteMs

export function createCursorCheck({ log, stages, nowMs }: CheckDependencies): CursorCheck {
  const places = placesOf(stages)
  const cursorText = createCursorText(stages)
  const readAt = async ({ stage, partition }: Place, offset: number): Promise<RecordBatch | undefined> =>
    (await log.read({ topic: stage.derivedTopic.name, partition, offset }, { bytesMax: 1 }))[0]
  const boundsOf = ({ stage, partition }: Place) => log.bounds(stage.derivedTopic.name, partition)

  /** Returns the offset of the first record of a partition that was published at this time or later. */
  const offsetPublishedAt = async (place: Place, atMs: EpochMs): Promise<number> => {
    const { startOffset, endOffset } = await boundsOf(place)
    let [low, high] = [startOffset, endOffset]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const batch = await readAt(place, middle)
      if (batch === undefined || batch.timestampMsAt(0) >= atMs) high = middle
      else low = Math.max(middle + 1, batch.nextOffset)
    }
    return Math.min(low, endOffset)
  }
  const searchOldest = async (): Promise<string> => {
    const atMs = nowMs() - againMs + usableMs
    return cursorText(await Promise.all(places.map((place) => offsetPublishedAt(place, atMs))))
  }
  let found: Readonly<{ atMs: EpochMs; oldest: Promise<string> }> | null = null
  const oldestCursor = (): Promise<string> => {
    if (found === null || Math.abs(nowMs() - found.atMs) >= searchEveryMs) {
      const oldest = searchOldest()
      found = { atMs: nowMs(), oldest }
      oldest.catch(() => {
        found = null
      })
    }
    return found.oldest
  }

  const stateOf = async (place: Place, offset: number): Promise<'usable' | 'unknown' | 'old'> => {
    const { startOffset, endOffset } = await boundsOf(place)
    if (offset > endOffset) return 'unknown'
    if (offset < startOffset) return 'old'
    const next = await readAt(place, offset)
    return next !== undefined && next.timestampMsAt(0) < nowMs() - againMs ? 'old' : 'usable'
  }
  const refuseAs = async (code: 'cursor_unknown' | 'cursor_too_old', text: string) => ({
    refusal: { ...refuse(code, `${text}. ${toDo}`), oldest: await oldestCursor() },
  })
  return async (asked) => {
    const cursor = parseCursor(asked, stages)
    if (cursor === null) return refuseAs('cursor_unknown', 'the cursor is not the whole id of an event of this stream')
    const states = await Promise.all(places.map((place, index) => stateOf(place, cursor[index] ?? 0)))
    if (states.includes('unknown'))
      return refuseAs('cursor_unknown', 'the cursor is not of this log: it is after the last event')
    if (states.includes('old'))
      return refuseAs(
        'cursor_too_old',
        `the cursor is too old: the events after it begin more than ${againMs / hourMs} h ago`,
      )
    return { cursor }
  }
}

const toDo =
  'Continue from the cursor in `oldest`, or connect without a cursor, and fetch what is missing from the history routes'
