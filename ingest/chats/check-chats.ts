/** The doctor's checks of the chats: the account that follows them, or their public pages. */
import { answerMsMax, type Check, examine, off, ok, wrong } from '../../infra/check.ts'
import type { Config } from '../../infra/config.ts'
import { isSimulated } from '../../infra/config.ts'
import { hostOf } from '../../infra/http-url.ts'
import { loadAccountCheck } from './load-mtproto.ts'
import { readSession } from './mtproto/session.ts'
import { publicNamesOf } from './open-chats.ts'
import { createFetchPage } from './preview/fetch-page.ts'
import { readPage } from './preview/read-page.ts'

const name = 'chats'

export async function checkChats(config: Config): Promise<readonly Check[]> {
  const { CHAT_CHANNELS: channels, CHAT_API_ID: apiId, CHAT_API_HASH: apiHash, DATA_DIR: dataDir } = config
  if (channels === undefined) return [off(name, withoutChats(config))]
  const session = await readSession(dataDir)
  if (apiId !== undefined && apiHash !== undefined && session !== null) {
    const { checkAccount } = await loadAccountCheck()
    return checkAccount({ account: { apiId, apiHash }, session, channels })
  }
  const checks = [checkNames(config, channels)]
  const says = 'nobody has signed in: public pages are read, which show no deletions and few edits'
  return [off(name, says), ...(await Promise.all(checks)).flat()]
}

const withoutChats = (config: Config): string =>
  isSimulated(config)
    ? 'none configured (CHAT_CHANNELS): simulated chats are shown, nothing in them is real'
    : 'none configured (CHAT_CHANNELS): no calls are sold'

async function checkNames(config: Config, channels: readonly string[]): Promise<readonly Check[]> {
  const hidden = channels.filter((channel) => !channel.startsWith('@'))
  const names = publicNamesOf(channels.filter((channel) => channel.startsWith('@')))
  const checks = names.map((channel) => checkPreview(config.CHAT_PREVIEW_URL, channel))
  const signIn = 'set CHAT_API_ID and CHAT_API_HASH, then sign in with "launch-data ingest chat --login"'
  return [
    ...hidden.map((channel) => wrong(name, `${channel}: only an account can follow a chat by its number`, signIn)),
    ...(await Promise.all(checks)),
  ]
}

function checkPreview(baseUrl: string, channel: string): Promise<Check> {
  const where = hostOf(baseUrl)
  return examine(
    { name, where, toDo: 'check that the address CHAT_PREVIEW_URL is right and can be reached' },
    async () => {
      const page = await createFetchPage({ baseUrl })(channel, null, AbortSignal.timeout(answerMsMax))
      if (page.type === 'wait') return wrong(name, `${where} asks for a pause`, 'wait some minutes')
      const posts = page.type === 'page' ? readPage(page.html, channel) : null
      return posts === null
        ? wrong(
            name,
            `@${channel} has no public preview at ${where}`,
            'correct CHAT_CHANNELS, or follow the chat with an account',
          )
        : ok(name, `@${channel}: ${posts.length} posts on its preview page`)
    },
  )
}
