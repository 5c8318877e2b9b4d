import { BaseTelegramClient, MemoryStorage, TelegramClient } from '@mtcute/node'
import { signedOut } from './failures.ts'

export type Account = Readonly<{
  apiId: number
  apiHash: string
}>

/** The callers retry. Logging is off, because the library's log could show what people write. */
function clientOf({ apiId, apiHash }: Account): BaseTelegramClient {
  const client = new BaseTelegramClient({
    ...{ apiId, apiHash, storage: new MemoryStorage(), updates: false, logLevel: 0 },
    initConnectionOptions: { deviceModel: 'server', appVersion: '1', systemVersion: 'node' },
    network: { pingInterval: 20_000 },
  })
  // The caller gets the failure of its call. Other failures concern a connection, which is opened again.
  client.onError.add(() => {})
  return client
}

/** Does not connect yet: the first call does. Fails with `node_refused` if the session is invalid. */
export async function openClient(account: Account, session: string): Promise<BaseTelegramClient> {
  const client = clientOf(account)
  try {
    await client.importSession(session, true)
  } catch {
    throw signedOut('the session file holds no session')
  }
  return client
}

/** For signing in. `session`: a connection that is not signed in. Default: a new one. */
export async function openSignedOut(account: Account, session?: string): Promise<TelegramClient> {
  const client = clientOf(account)
  if (session !== undefined) await client.importSession(session, true)
  return new TelegramClient({ client, disableUpdates: true })
}
