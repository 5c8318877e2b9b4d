import assert from 'node:assert/strict'
import type { Config } from '../../infra/config.ts'
import { chooseAccount } from './mtproto/choice.ts'
import { choosePreview } from './preview/choice.ts'
import type { ConfiguredReader, ReaderChoice } from './reader-choice.ts'

/**
 * The readers, in the order in which they are tried. The first reader that the configuration chooses reads
 * all chats. The last reader needs no configuration.
 */
const choices: readonly ReaderChoice[] = [chooseAccount, choosePreview]

export async function chosenReader(config: Config, channels: readonly string[]): Promise<ConfiguredReader> {
  for (const choose of choices) {
    const reader = await choose(config, channels)
    if (reader !== null) return reader
  }
  assert.fail('no reader of chats was chosen')
}
