/** Opens the configured chats. */
import assert from 'node:assert/strict'
import type { Config } from '../../infra/config.ts'
import { createChatSource } from './chat-source.ts'
import { chatsDefinition } from './definition.ts'
import type { ReaderDependencies } from './reader-choice.ts'
import { chosenReader } from './readers.ts'
import type { Chats } from './types.ts'

export function configuredChats(config: Config, dependencies: ReaderDependencies): Chats {
  const { CHAT_CHANNELS: channels } = config
  assert(channels, 'CHAT_CHANNELS must be set before chats are followed')
  const openReader = async () => (await chosenReader(config, channels)).open(dependencies)
  return {
    ...chatsDefinition,
    source: createChatSource({ openReader, nowMs: dependencies.nowMs }),
    readPrice: null,
    lookups: [],
  }
}
