/** The doctor's look at the chats. */
import { type Check, off } from '../../infra/check.ts'
import type { Config } from '../../infra/config.ts'

const name = 'chats'

export function checkChats(config: Config): readonly Promise<Check>[] {
  if (config.CHAT_CHANNELS === undefined)
    return [Promise.resolve(off(name, 'none configured (CHAT_CHANNELS): nobody says anything real'))]
  return []
}
