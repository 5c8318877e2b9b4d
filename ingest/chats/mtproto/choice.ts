/**
 * Chooses the platform account as the reader of the chats. Returns null unless CHAT_API_ID and CHAT_API_HASH
 * are configured and the account has signed in.
 */
import { loadAccountCheck, loadMtproto } from '../load-mtproto.ts'
import type { ReaderChoice } from '../reader-choice.ts'
import { readSession } from './session.ts'

export const chooseAccount: ReaderChoice = async (config, channels) => {
  const { CHAT_API_ID: apiId, CHAT_API_HASH: apiHash, DATA_DIR: dataDir } = config
  const session = await readSession(dataDir)
  if (apiId === undefined || apiHash === undefined || session === null) return null
  const signedIn = { account: { apiId, apiHash }, session, channels }
  return {
    async open(dependencies) {
      const { openAccountReader } = await loadMtproto()
      return openAccountReader({ ...signedIn, dataDir, ...dependencies })
    },
    async check() {
      const { checkAccount } = await loadAccountCheck()
      return checkAccount(signedIn)
    },
  }
}
