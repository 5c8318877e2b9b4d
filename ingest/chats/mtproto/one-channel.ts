/**
 * The state of one followed channel: its read position, and the time of its next read. The state is mutable.
 */
import { Long } from '@mtcute/node'
import type { EpochMs } from '../../../schemas/units.ts'
import type { Channel, Difference } from './channel.ts'
import type { ChannelCursor } from './cursors.ts'
import type { Times } from './times.ts'

export type OneChannel = {
  channel: Channel | null
  /**
   * Whether the reader must look up the channel again by its name, because the platform refused the stored id
   * of the channel.
   */
  mustBeFound: boolean
  pts: number | null
  /** The time before which the channel is not read, in milliseconds. */
  dueAtMs: EpochMs
  askedAtMs: EpochMs
  /** Whether the channel may have changes that were not read yet. */
  isBehind: boolean
  isRefused: boolean
  /** The number of failures in a row. */
  failureCount: number
}

/**
 * The number of failures in a row after which the channel counts as refused. So many failures are probably
 * caused by this channel alone.
 */
const failuresMax = 5

export function openChannel(position: ChannelCursor | undefined): OneChannel {
  const fresh = { mustBeFound: false, dueAtMs: 0, askedAtMs: 0, isBehind: true, isRefused: false, failureCount: 0 }
  if (position === undefined) return { ...fresh, channel: null, pts: null }
  const { chat, chatName, channelId, accessHash: hash, pts } = position
  const input = { _: 'inputChannel', channelId, accessHash: Long.fromString(hash) } as const
  return { ...fresh, pts, channel: { place: { chat, chatName }, input } }
}

/** Returns the read position to store. Returns null if the channel has not been read yet. */
export function positionOf({ channel, pts }: OneChannel): ChannelCursor | null {
  if (channel === null || pts === null || pts <= 0) return null
  const { channelId, accessHash } = channel.input
  return { ...channel.place, pts, channelId, accessHash: String(accessHash) }
}

export function wake(one: OneChannel, { againMs }: Times): void {
  if (one.isRefused) return
  one.isBehind = true
  one.dueAtMs = Math.min(one.dueAtMs, one.askedAtMs + againMs)
}

/**
 * Marks the start of a call. The answer may lack changes about which the platform sends a message only later.
 * Such a message sets `isBehind` again.
 */
export function startAsking(one: OneChannel, nowMs: EpochMs, { pollMs }: Times): void {
  Object.assign(one, { isBehind: false, askedAtMs: nowMs, dueAtMs: nowMs + pollMs })
}

type At = Readonly<{ nowMs: EpochMs; times: Times }>

/** Marks the end of a successful call. Returns whether the read position or the name of the channel has changed. */
export function endAsking(one: OneChannel, difference: Difference, { nowMs, times }: At): boolean {
  const { place, pts, isFinal, waitMs } = difference
  const isMoved = one.pts !== pts || one.channel?.place.chatName !== place.chatName
  Object.assign(one, { pts, isRefused: false, failureCount: 0 })
  if (one.channel !== null) one.channel = { ...one.channel, place }
  if (!isFinal) Object.assign(one, { isBehind: true, dueAtMs: nowMs })
  else if (!one.isBehind && waitMs !== null)
    one.dueAtMs = nowMs + Math.min(times.pollMs, Math.max(times.againMs, waitMs))
  return isMoved
}

/**
 * Marks the channel as refused. The next attempt looks up the channel again, because its stored id may be
 * wrong. Returns whether the refusal is new.
 */
export function refuse(one: OneChannel, nowMs: EpochMs, { refusedMs }: Times): boolean {
  const isNew = !one.isRefused
  Object.assign(one, { mustBeFound: true, isRefused: true, isBehind: false, failureCount: 0 })
  one.dueAtMs = nowMs + refusedMs
  return isNew
}

/** Counts a failed call. Returns whether the channel now counts as refused. */
export function fail(one: OneChannel): boolean {
  one.failureCount++
  return one.failureCount >= failuresMax
}
