import { BaseTelegramClient, MemoryStorage, TelegramClient } from '@mtcute/node'
import { signedOut } from './failures.ts'

export type Account = Readonly<{
  apiId: number
  apiHash: string
}>

/** Calls are retried by who makes them. The library's own log could show what people write. */
function clientOf({ apiId, apiHash }: Account): BaseTelegramClient {
  const client = new BaseTelegramClient({
    ...{ apiId, apiHash, storage: new MemoryStorage(), updates: false, logLevel: 0 },
    initConnectionOptions: { deviceModel: 'server', appVersion: '1', systemVersion: 'node' },
    network: { pingInterval: 20_000 },
  })
  // Failures come to who asked; what is left concerns a connection, which is opened again.
  client.onError.add(() => {})
  return client
}

/** Not connected yet: the first call connects. Fails with `node_refused` where the session is none. */
export async function openClient(account: Account, session: string): Promise<BaseTelegramClient> {
  const client = clientOf(account)
  try {
    await client.importSession(session, true)
  } catch {
    throw signedOut('the file of the session holds none')
  }
  return client
}

/** For signing in. `session`: of a connection that nobody has signed in with; default: a new one. */
export async function openSignedOut(account: Account, session?: string): Promise<TelegramClient> {
  const client = clientOf(account)
  if (session !== undefined) await client.importSession(session, true)
  return new TelegramClient({ client, disableUpdates: true })
}
