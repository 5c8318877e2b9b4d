import type { tl } from '@mtcute/node'

/**
 * The channels that a push concerns. A push only triggers a read, so nothing depends on the order or arrival of pushes.
 * `all`: the platform does not name the channels.
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
