/**
 * Follows channels and groups through the signed-in account. A channel is read at intervals, and also when
 * the platform sends a message about a change (a push). Only one call is made at a time. The content of
 * pushes is not used. So the result does not depend on whether or in which order pushes arrive.
 */
import type { BaseTelegramClient, tl } from '@mtcute/node'
import type { Logger } from '../../../infra/telemetry.ts'
import { type EpochMs, minuteMs } from '../../../schemas/units.ts'
import { withLimit } from '../../with-limit.ts'
import { believePosts } from '../believe-posts.ts'
import type { ChatReader, Reading, ReadSoFar } from '../reader.ts'
import { type Call, type Difference, findChannel, readAgain, readDifference, readPts } from './channel.ts'
import type { CursorFile } from './cursors.ts'
import { meaningOf, noAnswer } from './failures.ts'
import { createFollowed, type Followed } from './followed.ts'
import { endAsking, fail, type OneChannel, refuse, startAsking } from './one-channel.ts'
import { type Times, timesDefault } from './times.ts'

export type MtprotoReaderOptions = Readonly<{
  /** The platform's client, which reconnects on its own. */
  client: Pick<BaseTelegramClient, 'call' | 'onServerUpdate' | 'onConnectionState'>
  /** The names of the chats in the configuration. */
  channels: readonly string[]
  positions: CursorFile
  nowMs: () => EpochMs
  logger: Pick<Logger, 'warn'>
  times?: Partial<Times>
}>

export function createMtprotoReader(options: MtprotoReaderOptions): ChatReader {
  const times = { ...timesDefault, ...options.times }
  return {
    lostAfterMs: times.lostAfterMs,
    readings: (soFar, signal) => readAll({ ...options, times, soFar, signal }),
  }
}

type Reader = MtprotoReaderOptions & Readonly<{ times: Times; soFar: ReadSoFar; signal: AbortSignal }>

/** The clock of all waits. The wall clock may be set back, and the channels would then wait until it has caught up. */
const waitClockMs = (): EpochMs => performance.now()

async function* readAll(reader: Reader): AsyncGenerator<Reading> {
  const { client, channels, positions, times, signal } = reader
  const followed = createFollowed({ channels, known: await positions.read(), nowMs: waitClockMs, times })
  const onUpdate = (updates: Parameters<typeof channelsIn>[0]) => followed.wake(channelsIn(updates))
  // The platform does not repeat pushes that were lost without a connection. So all channels are read when
  // the state of the connection changes. Without a connection, calls get no answer and nothing is recorded.
  const onState = () => followed.wake('all')
  client.onServerUpdate.add(onUpdate)
  client.onConnectionState.add(onState)
  try {
    const followedBefore = followed.before()
    let isFirst = true
    while (!signal.aborted) {
      const reading = await nextReading(reader, followed)
      if (reading === null) continue
      yield isFirst ? { ...reading, followedBefore } : reading
      isFirst = false
    }
  } finally {
    client.onServerUpdate.remove(onUpdate)
    client.onConnectionState.remove(onState)
  }
}

/** Returns the next reading (the changes to record). Returns null if there is nothing to record yet. */
async function nextReading(reader: Reader, followed: Followed): Promise<Reading | null> {
  const due = followed.due()
  if (due !== null) return readOne(reader, followed, due)
  if (followed.isEmptyRangeDue()) return followed.emptyReading()
  await followed.pause(reader.signal)
  return null
}

async function readOne(
  reader: Reader,
  followed: Followed,
  [name, one]: readonly [string, OneChannel],
): Promise<Reading | null> {
  const { positions, nowMs, times, signal } = reader
  startAsking(one, waitClockMs(), times)
  try {
    const difference = await ask(reader, name, one)
    believePosts(difference.news.changes, nowMs())
    const isMoved = endAsking(one, difference, { nowMs: waitClockMs(), times })
    const { changes, isTooLong } = difference.news
    if (changes.length === 0 && !isTooLong && !isMoved) return null
    const kept = followed.positions()
    return { ...followed.emptyReading(), news: [difference.news], keep: () => positions.write(kept) }
  } catch (error) {
    if (signal.aborted) return null
    return afterFailure(reader, followed, { name, one, error })
  }
}

type Failed = Readonly<{ name: string; one: OneChannel; error: unknown }>

/**
 * Handles a failed call. Returns a reading if the platform newly refuses the channel, because this is
 * recorded. After other failures the reader only waits.
 */
function afterFailure(reader: Reader, followed: Followed, { name, one, error }: Failed): Reading | null {
  const { channels, logger, times } = reader
  const meaning = meaningOf(error)
  if (meaning.type === 'lost') {
    Object.assign(one, { pts: null, isBehind: true, dueAtMs: waitClockMs() })
    return null
  }
  if (meaning.type === 'refused' || (meaning.type === 'failed' && fail(one))) {
    if (!refuse(one, waitClockMs(), times)) return null
    const againMin = times.refusedMs / minuteMs
    logger.warn(
      { reason: meaning.text },
      `this account cannot read ${shownName(name, channels)}. The next attempt is in ${againMin} min`,
    )
    return followed.emptyReading()
  }
  const waitMs = meaning.type === 'wait' ? meaning.waitMs : times.pauseMs
  const says =
    meaning.type === 'wait'
      ? 'the chat platform asks for a pause'
      : 'the chat platform could not be read. The reader tries again'
  logger.warn({ waitMs, ...('text' in meaning && { reason: meaning.text }) }, says)
  followed.waitAll(waitMs)
  return null
}

/**
 * Returns the name of a chat for log messages. A private chat is named only by its position in the configured
 * list.
 */
const shownName = (name: string, channels: readonly string[]): string =>
  name.startsWith('@') ? name : `chat ${channels.indexOf(name) + 1} of CHAT_CHANNELS`

async function ask({ client, soFar, times, signal }: Reader, name: string, one: OneChannel): Promise<Difference> {
  // If the platform requests a pause, the client must fail instead of waiting. The reader then waits itself,
  // and records nothing until the pause ends.
  const options = { floodSleepThreshold: 0, maxRetryCount: 0 }
  const limit = { limitMs: times.callMs, signal, onLimit: noAnswer }
  // The client's own time limit is not used. Its timer keeps running after the answer and would delay the end
  // of the process.
  const call: Call = (request) => withLimit(limit, (abortSignal) => client.call(request, { ...options, abortSignal }))
  if (one.channel === null || one.mustBeFound) one.channel = await findChannel(call, name)
  one.mustBeFound = false
  const { channel, pts } = one
  const lastPost = soFar.lastPostOf(channel.place.chat)
  if (pts !== null) return readDifference(call, channel, { pts, lastPost })
  if (lastPost !== null) return readAgain(call, channel, { lastPost })
  const { place } = channel
  const news = { chat: place.chat, changes: [], isTooLong: false }
  return { news, place, pts: await readPts(call, channel), isFinal: true, waitMs: null }
}

/**
 * Returns the ids of the channels that a push is about, or `all` if the platform does not name them. A push
 * only triggers a read.
 */
export function channelsIn(updates: tl.TypeUpdates): readonly number[] | 'all' {
  if (updates._ === 'updatesTooLong') return 'all'
  if (updates._ === 'updateShort') return channelsOf(updates.update)
  if (updates._ === 'updates' || updates._ === 'updatesCombined') return updates.updates.flatMap(channelsOf)
  return []
}

function channelsOf(update: tl.TypeUpdate): readonly number[] {
  if ('channelId' in update && typeof update.channelId === 'number') return [update.channelId]
  if (!('message' in update) || typeof update.message !== 'object' || !('peerId' in update.message)) return []
  const { peerId } = update.message
  return peerId?._ === 'peerChannel' ? [peerId.channelId] : []
}
