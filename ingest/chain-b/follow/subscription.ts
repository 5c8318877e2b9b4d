/**
 * Subscribes at Helius to the transactions of the launch program (pump). The subscription may lose
 * transactions, because the SDK's client has three faults. It does not subscribe again. It ends without an
 * error when the socket closes. It drops messages that arrive together with the answer to the subscription.
 * So other code reads missing transactions from the node.
 */
import { setInterval } from 'node:timers'
import { makeEnhancedWsClient } from 'helius-sdk/websockets/enhancedWs'
import { WebSocket } from 'ws'
import { z } from 'zod'
import type { Logger } from '../../../infra/telemetry.ts'
import type { DurationMs } from '../../../schemas/units.ts'
import { type Delay, delay as realDelay } from '../../delay.ts'
import { createRedactor } from '../../redact.ts'
import { untilAborted } from '../../until-aborted.ts'
import { pumpProgram } from '../decode/programs.ts'
import { slotNumber, transactionAnswer } from '../node/answers.ts'
import type { PendingTransactions } from './pending-transactions.ts'
import { eventsIn } from './read-events.ts'

export type SubscriptionOptions = Readonly<{
  url: string
  logger: Pick<Logger, 'debug' | 'warn' | 'info'>
  /**
   * The time without a message after which the socket counts as lost, in milliseconds. The launch program is
   * always in use, so a long silence is a failure.
   */
  silenceMsMax?: DurationMs
  /** The time limit for connecting and subscribing together. */
  openMsMax?: DurationMs | undefined
  delay?: Delay
}>

const waitMsFirst = 500
const waitMsMax = 30_000

/**
 * Subscribes, and subscribes again whenever the subscription ends, with growing waits. Ends when the signal
 * aborts. Never rejects.
 */
export const createSubscription =
  (options: SubscriptionOptions) =>
  async (held: Pick<PendingTransactions, 'put'>, signal: AbortSignal): Promise<void> => {
    const { url, logger, delay = realDelay } = options
    const redact = createRedactor([url])
    for (let failureCount = 1; !signal.aborted; failureCount++) {
      const session = { sentCount: 0 }
      const reason = await listen(options, { held, session }, signal).catch((error: unknown) => String(error))
      if (signal.aborted) return
      if (session.sentCount > 0) failureCount = 1
      const waitMs = Math.min(waitMsMax, waitMsFirst * 2 ** Math.min(10, failureCount - 1))
      logger.warn(
        { reason: redact(reason), sentCount: session.sentCount, waitMs },
        'the subscription ended. It opens again after a pause',
      )
      await delay(waitMs, signal)
    }
  }

type Listening = Readonly<{ held: Pick<PendingTransactions, 'put'>; session: { sentCount: number } }>

/** Runs one subscription from start to end. Resolves or rejects with the reason for its end. */
async function listen(
  options: SubscriptionOptions,
  { held, session }: Listening,
  signal: AbortSignal,
): Promise<string> {
  const { url, silenceMsMax = 60_000, openMsMax = 15_000 } = options
  provideWebSocket()
  const client = makeEnhancedWsClient(url)
  const quiet = new AbortController()
  const stop = AbortSignal.any([signal, quiet.signal])
  let heardCount = -1
  const watch = setInterval(() => {
    if (heardCount === session.sentCount) quiet.abort('the node sent nothing for a while')
    heardCount = session.sentCount
  }, silenceMsMax)
  try {
    const opening = AbortSignal.any([stop, AbortSignal.timeout(openMsMax)])
    const subscribed: AsyncIterable<unknown> = await untilAborted(client.transactionSubscribe(filter, config), opening)
    const sent = subscribed[Symbol.asyncIterator]()
    for (;;) {
      const next = await untilAborted(sent.next(), stop)
      if (next.done) return 'the socket closed'
      session.sentCount++
      hold(next.value, held)
    }
  } finally {
    clearInterval(watch)
    client.close()
  }
}

/** Subscribes one time, as a check of the `doctor` command. Fails if the node refuses or the signal aborts. */
export async function trySubscription(url: string, signal: AbortSignal): Promise<void> {
  provideWebSocket()
  const client = makeEnhancedWsClient(url)
  try {
    await untilAborted(client.transactionSubscribe(filter, config), signal)
  } finally {
    client.close()
  }
}

/**
 * Selects the transactions of the launch program only. There are too many followed pools for a subscription,
 * so ingest reads their transactions by address.
 */
const filter = { vote: false, failed: false, accountInclude: [pumpProgram] }
const config = {
  ...{ commitment: 'confirmed', encoding: 'base64', transactionDetails: 'full' },
  ...{ showRewards: false, maxSupportedTransactionVersion: 1 },
} as const

const notification = z.object({
  signature: z.string(),
  slot: slotNumber,
  transactionIndex: z.int().nonnegative().nullish(),
  transaction: transactionAnswer,
})

/**
 * Puts a transaction that the subscription sent into `held`. A transaction that cannot be decoded is skipped,
 * and later read from the node.
 */
function hold(value: unknown, held: Pick<PendingTransactions, 'put'>): void {
  const sent = notification.safeParse(value)
  if (!sent.success) return
  const { signature, slot, transactionIndex, transaction: wire } = sent.data
  const found = eventsIn({ signature, slot, index: transactionIndex ?? null, wire })
  if (found.kind === 'read') held.put({ slot, transaction: found.transaction })
}

/** The client uses the global WebSocket, which Node has from version 22 on. */
function provideWebSocket(): void {
  globalThis.WebSocket ??= WebSocket as unknown as typeof globalThis.WebSocket
}
