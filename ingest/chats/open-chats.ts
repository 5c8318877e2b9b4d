/** Opens the configured chats. An account reads them if it has signed in. Otherwise their public pages are read. */
import assert from 'node:assert/strict'
import type { Config } from '../../infra/config.ts'
import { OperationError } from '../../infra/errors.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { createChatSource } from './chat-source.ts'
import { chatsDefinition } from './definition.ts'
import { loadMtproto } from './load-mtproto.ts'
import { readSession } from './mtproto/session.ts'
import { createFetchPage } from './preview/fetch-page.ts'
import { createPreviewReader } from './preview/reader.ts'
import type { ChatReader } from './reader.ts'
import type { Chats } from './types.ts'

type ChatDependencies = Readonly<{ nowMs: () => EpochMs; logger: Logger }>

export function configuredChats(config: Config, dependencies: ChatDependencies): Chats {
  const { CHAT_CHANNELS: channels } = config
  assert(channels, 'CHAT_CHANNELS must be set before chats are followed')
  const openReader = () => openConfiguredReader(config, channels, dependencies)
  return {
    ...chatsDefinition,
    source: createChatSource({ openReader, nowMs: dependencies.nowMs }),
    readPrice: null,
    lookups: [],
  }
}

/**
 * Opens the reader of the configured chats. Fails with `config_invalid` if no account has signed in and a chat is
 * private.
 */
export async function openConfiguredReader(
  { CHAT_API_ID: apiId, CHAT_API_HASH: apiHash, CHAT_PREVIEW_URL: baseUrl, DATA_DIR: dataDir }: Config,
  channels: readonly string[],
  { nowMs, logger }: ChatDependencies,
): Promise<ChatReader> {
  const session = await readSession(dataDir)
  if (apiId !== undefined && apiHash !== undefined && session !== null) {
    const { openAccountReader } = await loadMtproto()
    return openAccountReader({ account: { apiId, apiHash }, session, channels, dataDir, nowMs, logger })
  }
  const names = publicNamesOf(channels)
  logger.warn(
    'not signed in to the chat platform: public pages are read, which show no deletions and few edits. To read with an account, set CHAT_API_ID and CHAT_API_HASH and run "launch-data ingest chat --login"',
  )
  return createPreviewReader({ fetchPage: createFetchPage({ baseUrl }), names, nowMs, logger })
}

/**
 * Returns the public names of the chats. Fails with `config_invalid` if a chat is named by its number, because only an
 * account can follow such a chat.
 */
export function publicNamesOf(channels: readonly string[]): readonly string[] {
  const hidden = channels.filter((channel) => !channel.startsWith('@'))
  if (hidden.length === 0) return channels.map((channel) => channel.slice(1))
  throw new OperationError(
    'config_invalid',
    `CHAT_CHANNELS names ${hidden.length} of its chats by number, which only an account can follow: set CHAT_API_ID and ` +
      'CHAT_API_HASH, then sign in with "launch-data ingest chat --login"',
  )
}
