import { BaseTelegramClient, MemoryStorage, TelegramClient } from '@mtcute/node'
import { signedOut } from './failures.ts'

export type Account = Readonly<{
  apiId: number
  apiHash: string
}>

/**
 * Creates a client of the platform without retries, because its callers retry failed calls. Logging is off,
 * because the library's log could contain people's posts.
 */
function clientOf({ apiId, apiHash }: Account): BaseTelegramClient {
  const client = new BaseTelegramClient({
    ...{ apiId, apiHash, storage: new MemoryStorage(), updates: false, logLevel: 0 },
    // Cleanup is off, because the storage is only in memory. For a cleanup, the library would handle the
    // signals of the process (such as SIGINT) itself.
    storageOptions: { cleanup: false },
    initConnectionOptions: { deviceModel: 'server', appVersion: '1', systemVersion: 'node' },
    network: { pingInterval: 20_000 },
  })
  // Ignores the client's own error events, because every error is handled elsewhere. A failed call is
  // reported to its caller. After a failed connection, the client connects again.
  client.onError.add(() => {})
  return client
}

/**
 * Creates a client that uses a stored session. The client connects at the first call. Fails with
 * `node_refused` if the session is invalid.
 */
export async function openClient(account: Account, session: string): Promise<BaseTelegramClient> {
  const client = clientOf(account)
  try {
    await client.importSession(session, true)
  } catch {
    throw signedOut('the session file contains no session')
  }
  return client
}

/** Creates a client for signing in. `session` is the session of a connection that is not signed in. Default: a new connection. */
export async function openSignedOut(account: Account, session?: string): Promise<TelegramClient> {
  const client = clientOf(account)
  if (session !== undefined) await client.importSession(session, true)
  return new TelegramClient({ client, disableUpdates: true })
}
