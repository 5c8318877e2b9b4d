/**
 * Asks the user for the data that signing in needs. The typed text is neither stored nor printed. Only the
 * resulting session is stored, in its file.
 */
import { tl } from '@mtcute/node'
import { OperationError } from '../../../infra/errors.ts'
import { type Account, openSignedOut } from './open-client.ts'
import { writeSession } from './session.ts'

export type Prompts = Readonly<{
  /** Asks a question and returns the typed text. Fails when the signal aborts. */
  ask(question: string): Promise<string>
  /** Asks like `ask`, but hides the typed text. */
  askSecret(question: string): Promise<string>
  say(text: string): void
}>

type LoginOptions = Readonly<{
  account: Account
  dataDir: string
  prompts: Prompts
  signal: AbortSignal
  /** The session text of an existing connection. Only tests set this option. */
  session?: string
}>

/**
 * Signs in to the platform and stores the session. If the platform refuses, fails with `node_refused` and the
 * platform's reason.
 */
export async function signIn({ account, dataDir, prompts, signal, session }: LoginOptions): Promise<void> {
  const { ask, askSecret, say } = prompts
  const client = await openSignedOut(account, session)
  try {
    const user = await client.start({
      phone: () => ask('Phone number with the country code, such as +491701234567: '),
      code: () => ask('Code: '),
      password: () => askSecret('Password of the two-step verification: '),
      codeSentCallback: ({ type }) => say(`A code was sent (${type}).`),
      invalidCodeCallback: (type) =>
        say(type === 'code' ? 'That was not the code. Try again.' : 'That was not the password. Try again.'),
      abortSignal: signal,
    })
    const file = await writeSession(dataDir, await client.exportSession())
    say(`Signed in as ${user.username === null ? 'an account without a public name' : `@${user.username}`}.`)
    say(`The session is in ${file}, readable by you alone. Whoever has this file can use the account: keep it secret.`)
    say('Start the service again to follow the chats with it.')
  } catch (error) {
    if (signal.aborted || !tl.RpcError.is(error)) throw error
    throw new OperationError('node_refused', `signing in failed: ${reasonOf(error)}`, { cause: error })
  } finally {
    await client.destroy()
  }
}

const reasons: Readonly<Record<string, string>> = {
  API_ID_INVALID: 'CHAT_API_ID and CHAT_API_HASH do not belong together. https://my.telegram.org shows both values',
  PHONE_NUMBER_INVALID: 'this is not a phone number. A phone number begins with + and the country code',
  PHONE_NUMBER_BANNED: 'the platform has closed the account of this number. Use another account',
  PHONE_NUMBER_FLOOD: 'too many codes were requested for this number. Try again tomorrow',
  PHONE_NUMBER_UNOCCUPIED: 'there is no account with this number. Create an account in the app first',
  PHONE_CODE_EXPIRED: 'the code has expired. Run the command again',
  PHONE_PASSWORD_FLOOD: 'too many wrong passwords were entered. Try again later',
}

const reasonOf = ({ text, ...rest }: tl.RpcError): string =>
  'seconds' in rest && typeof rest.seconds === 'number'
    ? `the platform asks for a pause. Try again in ${rest.seconds} s`
    : (reasons[text] ?? text)
