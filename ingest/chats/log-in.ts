/** Implements the command that signs in to the chat platform (Telegram). */
import type { Config } from '../../infra/config.ts'
import { OperationError } from '../../infra/errors.ts'
import { loadLogin } from './load-mtproto.ts'
import type { Prompts } from './mtproto/login.ts'

/**
 * Signs in to the platform. Fails with `config_invalid` if CHAT_API_ID and CHAT_API_HASH are not configured.
 * Fails with `node_refused` if the platform refuses.
 */
export async function logIn(
  { CHAT_API_ID: apiId, CHAT_API_HASH: apiHash, DATA_DIR: dataDir }: Config,
  prompts: Prompts,
  signal: AbortSignal,
): Promise<void> {
  if (apiId === undefined || apiHash === undefined)
    throw new OperationError(
      'config_invalid',
      'signing in needs CHAT_API_ID and CHAT_API_HASH. Create an application at https://my.telegram.org, which shows both values',
    )
  const { signIn } = await loadLogin()
  await signIn({ account: { apiId, apiHash }, dataDir, prompts, signal })
}
