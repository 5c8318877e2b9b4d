/**
 * Opens the chat reader that uses an account on the platform. The platform's client is an optional package.
 * So this module is loaded only if an account is configured.
 */
import type { Logger } from '../../../infra/telemetry.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import type { ChatReader } from '../reader.ts'
import { cursorsIn } from './cursors.ts'
import { type Account, openClient } from './open-client.ts'
import { createMtprotoReader } from './reader.ts'

export type AccountReaderOptions = Readonly<{
  account: Account
  session: string
  channels: readonly string[]
  dataDir: string
  nowMs: () => EpochMs
  logger: Pick<Logger, 'warn'>
}>

/** Opens a chat reader. The reader keeps one connection open until the caller stops reading. */
export async function openAccountReader(options: AccountReaderOptions): Promise<ChatReader> {
  const { account, session, channels, dataDir, nowMs, logger } = options
  const client = await openClient(account, session)
  const reader = createMtprotoReader({ client, channels, positions: cursorsIn(dataDir), nowMs, logger })
  return {
    ...reader,
    async *readings(soFar, signal) {
      try {
        yield* reader.readings(soFar, signal)
      } finally {
        await client.destroy()
      }
    },
  }
}
