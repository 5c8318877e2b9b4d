import assert from 'node:assert/strict'
import type { Config } from '../../infra/config.ts'
import { chooseAccount } from './mtproto/choice.ts'
import { choosePreview } from './preview/choice.ts'
import type { ConfiguredReader, ReaderChoice } from './reader-choice.ts'

/**
 * The ways to read chats, in the order in which they are tried. The first one that the configuration chooses
 * is used for all chats. The last one needs no configuration.
 */
const choices: readonly ReaderChoice[] = [chooseAccount, choosePreview]

export async function chosenReader(config: Config, channels: readonly string[]): Promise<ConfiguredReader> {
  for (const choose of choices) {
    const reader = await choose(config, channels)
    if (reader !== null) return reader
  }
  assert.fail('no reader of chats was chosen')
}
