/** Checks the account on the chat platform and each followed chat, for the `doctor` command. */
import { answerMsMax, type Check, ok, wrong } from '../../../infra/check.ts'
import { isOperationError } from '../../../infra/errors.ts'
import { type Call, findChannel, readPts } from './channel.ts'
import { meaningOf } from './failures.ts'
import { type Account, openClient } from './open-client.ts'

type CheckOptions = Readonly<{ account: Account; session: string; channels: readonly string[] }>

const name = 'chats'
const signIn = 'sign in with "launch-data ingest chat --login"'
const correct = 'correct CHAT_CHANNELS, or join the chat with the account'

/**
 * Checks that the session is signed in, then that each chat can be read. If the session fails, the chats are
 * not checked.
 */
export async function checkAccount({ account, session, channels }: CheckOptions): Promise<readonly Check[]> {
  const limit = AbortSignal.timeout(answerMsMax - 500)
  // The client's own time limit is not used. Its timer keeps running after the answer and would delay the end
  // of the process.
  const options = { abortSignal: limit, floodSleepThreshold: 0, maxRetryCount: 0 }
  let client: Awaited<ReturnType<typeof openClient>>
  try {
    client = await openClient(account, session)
  } catch (error) {
    return [wrong(name, saysOf(error), signIn)]
  }
  try {
    const call: Call = (request) => client.call(request, options)
    await call({ _: 'updates.getState' })
    const checks: Check[] = [ok(name, 'the session is signed in')]
    for (const channel of channels) checks.push(await checkChannel(call, channel))
    return checks
  } catch (error) {
    return [wrong(name, limit.aborted ? 'the chat platform does not answer' : saysOf(error), signIn)]
  } finally {
    await client.destroy()
  }
}

async function checkChannel(call: Call, channel: string): Promise<Check> {
  try {
    const found = await findChannel(call, channel)
    await readPts(call, found)
    const { chatName } = found.place
    return ok(name, `${channel}: readable, ${chatName === null ? 'private (answers never name it)' : 'public'}`)
  } catch (error) {
    return wrong(name, `${channel}: ${saysOf(error)}`, correct)
  }
}

function saysOf(error: unknown): string {
  if (isOperationError(error)) return error.message
  try {
    const meaning = meaningOf(error)
    if (meaning.type === 'wait') return `the platform asks for a pause of ${meaning.waitMs / 1000} s`
    return 'text' in meaning ? meaning.text : 'the platform does not accept the position to read from'
  } catch (other) {
    return other instanceof Error ? other.message : String(other)
  }
}
