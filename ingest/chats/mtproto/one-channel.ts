/** One followed channel: how far it is read, and when it is asked about next. Changed in place. */
import { Long } from '@mtcute/node'
import type { Channel, Difference } from './channel.ts'
import type { Position } from './positions.ts'
import type { Times } from './times.ts'

export type OneChannel = {
  channel: Channel | null
  /** The platform did not know it as it is kept. */
  mustBeFound: boolean
  pts: number | null
  /** Not asked about before. */
  dueAtMs: number
  askedAtMs: number
  /** Something may have happened that was not read. */
  isBehind: boolean
  isRefused: boolean
  /** In a row. */
  failureCount: number
}

/** The platform fails for this channel alone. */
const failuresMax = 5

export function openChannel(position: Position | undefined): OneChannel {
  const fresh = { mustBeFound: false, dueAtMs: 0, askedAtMs: 0, isBehind: true, isRefused: false, failureCount: 0 }
  if (position === undefined) return { ...fresh, channel: null, pts: null }
  const { chat, chatName, channelId, accessHash: hash, pts } = position
  const input = { _: 'inputChannel', channelId, accessHash: Long.fromString(hash) } as const
  return { ...fresh, pts, channel: { place: { chat, chatName }, input } }
}

/** Null: it has not been read yet. */
export function positionOf({ channel, pts }: OneChannel): Position | null {
  if (channel === null || pts === null || pts <= 0) return null
  const { channelId, accessHash } = channel.input
  return { ...channel.place, pts, channelId, accessHash: String(accessHash) }
}

export function wake(one: OneChannel, { againMs }: Times): void {
  if (one.isRefused) return
  one.isBehind = true
  one.dueAtMs = Math.min(one.dueAtMs, one.askedAtMs + againMs)
}

/** What is pushed from here on may not be in the answer. */
export function startAsking(one: OneChannel, nowMs: number, { pollMs }: Times): void {
  Object.assign(one, { isBehind: false, askedAtMs: nowMs, dueAtMs: nowMs + pollMs })
}

type At = Readonly<{ nowMs: number; times: Times }>

/** Whether the position is another than before. */
export function endAsking(one: OneChannel, { pts, isFinal, waitMs }: Difference, { nowMs, times }: At): boolean {
  const isMoved = one.pts !== pts
  Object.assign(one, { pts, isRefused: false, failureCount: 0 })
  if (!isFinal) Object.assign(one, { isBehind: true, dueAtMs: nowMs })
  else if (!one.isBehind && waitMs !== null)
    one.dueAtMs = nowMs + Math.min(times.pollMs, Math.max(times.againMs, waitMs))
  return isMoved
}

/** What is known of it may be wrong, so it is found again when it is tried again. Whether that is new. */
export function refuse(one: OneChannel, nowMs: number, { refusedMs }: Times): boolean {
  const isNew = !one.isRefused
  Object.assign(one, { mustBeFound: true, isRefused: true, isBehind: false, failureCount: 0 })
  one.dueAtMs = nowMs + refusedMs
  return isNew
}

/** Whether it has failed so often that it is taken for refused. */
export function fail(one: OneChannel): boolean {
  one.failureCount++
  return one.failureCount >= failuresMax
}
