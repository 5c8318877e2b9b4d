/** Decides which followed channel is read next. Holds the read state of all channels. */

import { limited } from '../../../infra/limited.ts'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import { delay } from '../../delay.ts'
import type { Reading } from '../reader.ts'
import type { ChannelCursor, ChannelCursors } from './cursors.ts'
import { type OneChannel, openChannel, positionOf, wake } from './one-channel.ts'
import type { Times } from './times.ts'

export type Followed = Readonly<{
  /** Returns the chats that have a read position from an earlier run. */
  before(): readonly string[]
  /**
   * Returns the channel to read now: the due channel whose last read began first. Returns null if no channel
   * is due.
   */
  due(): readonly [string, OneChannel] | null
  isEmptyRangeDue(): boolean
  /**
   * Returns a reading without changes, for an empty tick. It lists the chats that are completely read, and
   * the chats that the platform refuses.
   */
  emptyReading(): Reading
  /**
   * Waits until a channel or an empty tick is due. A message from the platform can make a channel due
   * earlier.
   */
  pause(signal: AbortSignal): Promise<void>
  wake(ids: readonly number[] | 'all'): void
  /** Stops all calls for `waitMs`. Changes in that time are read afterwards. */
  waitAll(waitMs: DurationMs): void
  positions(): ChannelCursors
}>

type FollowedOptions = Readonly<{
  channels: readonly string[]
  known: ChannelCursors
  /** A clock that is never set back, with any zero before the start. */
  nowMs: () => EpochMs
  times: Times
}>

export function createFollowed({ channels, known, nowMs, times }: FollowedOptions): Followed {
  const all = new Map(channels.map((name): [string, OneChannel] => [name, openChannel(known[name])]))
  let pausedUntilMs = 0
  let emptyRangeAtMs = 0
  let wakeUp: () => void = () => {}
  const chatsOf = (isWanted: (one: OneChannel) => boolean): readonly string[] =>
    [...all.values()].flatMap((one) => (one.channel !== null && isWanted(one) ? [one.channel.place.chat] : []))
  /**
   * Whether all channels are read completely, as far as the reader knows. Channels that the platform refuses
   * do not count.
   */
  const isWhole = () => [...all.values()].every(({ isRefused, isBehind }) => isRefused || !isBehind)

  return {
    before: () => chatsOf(({ pts }) => pts !== null),
    due() {
      if (pausedUntilMs > nowMs()) return null
      const due = [...all].filter(([, { dueAtMs }]) => dueAtMs <= nowMs())
      const [first = null] = due.sort(([, left], [, right]) => left.askedAtMs - right.askedAtMs)
      return first
    },
    isEmptyRangeDue: () => isWhole() && pausedUntilMs <= nowMs() && emptyRangeAtMs <= nowMs(),
    emptyReading() {
      emptyRangeAtMs = nowMs() + times.emptyRangeEveryMs
      const seen = chatsOf(({ isRefused, isBehind }) => !isRefused && !isBehind)
      return { news: [], seen, refused: chatsOf(({ isRefused }) => isRefused) }
    },
    async pause(signal) {
      const waiting = limited([signal])
      wakeUp = waiting.abort
      const dueAtMs = Math.min(...[...all.values()].map((one) => one.dueAtMs))
      const atMs = Math.max(pausedUntilMs, isWhole() ? Math.min(dueAtMs, emptyRangeAtMs) : dueAtMs)
      await delay(Math.max(1, atMs - nowMs()), waiting.signal)
      waiting.release()
    },
    wake(ids) {
      for (const one of all.values())
        if (ids === 'all' || ids.includes(one.channel?.input.channelId ?? 0)) wake(one, times)
      wakeUp()
    },
    waitAll(waitMs) {
      pausedUntilMs = nowMs() + waitMs
      for (const one of all.values()) if (!one.isRefused) Object.assign(one, { isBehind: true, dueAtMs: nowMs() })
    },
    positions() {
      const kept: Record<string, ChannelCursor> = {}
      for (const [name, one] of all) {
        const position = positionOf(one)
        if (position !== null) kept[name] = position
      }
      return kept
    },
  }
}
