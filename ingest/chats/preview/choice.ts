/**
 * Chooses the reader of Telegram's public preview pages. This reader needs no credentials, so it can always
 * be chosen.
 */
import { answerMsMax, type Check, examine, off, ok, wrong } from '../../../infra/check.ts'
import { OperationError } from '../../../infra/errors.ts'
import { hostOf } from '../../../infra/http-url.ts'
import type { ReaderChoice } from '../reader-choice.ts'
import { createFetchPage } from './fetch-page.ts'
import { readPage } from './read-page.ts'
import { createPreviewReader } from './reader.ts'

const name = 'chats'

export const choosePreview: ReaderChoice = async ({ CHAT_PREVIEW_URL: baseUrl }, channels) => ({
  async open({ nowMs, logger }) {
    const names = publicNamesOf(channels)
    logger.warn(
      'no account is signed in, so the service reads public pages. Public pages show no deletions and few edits. To read with an account, set CHAT_API_ID and CHAT_API_HASH, and run "launch-data ingest chat --login"',
    )
    return createPreviewReader({ fetchPage: createFetchPage({ baseUrl }), names, nowMs, logger })
  },
  async check() {
    const says =
      'no account is signed in, so the service reads public pages. Public pages show no deletions and few edits'
    return [off(name, says), ...(await checkNames(baseUrl, channels))]
  },
})

const isPublic = (channel: string): boolean => channel.startsWith('@')
const nameOf = (channel: string): string => channel.slice(1)

/**
 * Returns the public names of the chats. Fails with `config_invalid` if a chat is given by its number,
 * because only an account can follow such a chat.
 */
function publicNamesOf(channels: readonly string[]): readonly string[] {
  const hidden = channels.filter((channel) => !isPublic(channel))
  if (hidden.length === 0) return channels.map(nameOf)
  throw new OperationError(
    'config_invalid',
    `CHAT_CHANNELS names ${hidden.length} of its chats by number. Only an account can follow such a chat. Set CHAT_API_ID ` +
      'and CHAT_API_HASH, then sign in with "launch-data ingest chat --login"',
  )
}

async function checkNames(baseUrl: string, channels: readonly string[]): Promise<readonly Check[]> {
  const hidden = channels.filter((channel) => !isPublic(channel))
  const checks = channels.filter(isPublic).map((channel) => checkPage(baseUrl, nameOf(channel)))
  const signIn = 'set CHAT_API_ID and CHAT_API_HASH, then sign in with "launch-data ingest chat --login"'
  return [
    ...hidden.map((channel) => wrong(name, `${channel}: only an account can follow a chat by its number`, signIn)),
    ...(await Promise.all(checks)),
  ]
}

function checkPage(baseUrl: string, channel: string): Promise<Check> {
  const where = hostOf(baseUrl)
  return examine({ name, where, toDo: 'check that CHAT_PREVIEW_URL is right and can be reached' }, async () => {
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
  })
}
