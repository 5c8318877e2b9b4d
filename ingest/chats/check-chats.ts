/** Makes the checks of the chats for the `doctor` command. The configured chat reader provides the checks. */
import { type Check, off } from '../../infra/check.ts'
import type { Config } from '../../infra/config.ts'
import { isSimulated } from '../../infra/config.ts'
import { chosenReader } from './readers.ts'

export async function checkChats(config: Config): Promise<readonly Check[]> {
  const { CHAT_CHANNELS: channels } = config
  if (channels === undefined) return [off('chats', withoutChats(config))]
  return (await chosenReader(config, channels)).check()
}

const withoutChats = (config: Config): string =>
  isSimulated(config)
    ? 'none configured (CHAT_CHANNELS): simulated chats are shown, nothing in them is real'
    : 'none configured (CHAT_CHANNELS): no calls are sold'
