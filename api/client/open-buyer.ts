/** Checks the options of a client, and opens its wallet and its store. */
import { OperationError } from '../../infra/errors.ts'
import { sleepUntilAborted } from '../../infra/limited.ts'
import type { DurationMs } from '../../schemas/units.ts'
import type { World } from './backoff.ts'
import { type Budget, openBudget } from './budget.ts'
import { type Buyer, createBuyer } from './buyer.ts'
import type { Service } from './request.ts'
import { openSpendingFile } from './spending-file.ts'
import { createSpendingMemory, type SpendingStore } from './spending-store.ts'
import { microsOf } from './usdc.ts'
import { type BuyerWallet, openPayer } from './wallet.ts'

export type BuyerOptions = Readonly<{
  /** The address of the service, or of a replay server. */
  baseUrl: string
  /** Absent: the client pays for nothing. A replay server charges nothing. */
  wallet?: BuyerWallet
  /** The limits of the spending in USDC, of one call and of one UTC day. */
  limits: Readonly<{ perCallUsdc: number; perDayUsdc: number }>
  /**
   * Where the spending of the day and the open purchases are kept. Default: in memory, so a restart forgets both. A
   * program that runs for long should name a file.
   */
  spending?: Readonly<{ file: string }> | SpendingStore
  /** The only receiver that is paid. Default: the receiver of the first purchase. */
  payTo?: string
  /** The time for one request with its whole answer, in ms. Default: one minute. */
  timeoutMs?: DurationMs
  /** The maximum number of requests with one payment, and of connections without an event. Default: 8. */
  attemptsMax?: number
  /** Default: the `fetch` of Node. */
  fetch?: typeof fetch
  /** The time and the chance. Default: those of the machine. */
  world?: World
}>

export type OpenBuyer = Readonly<{
  buyer: Buyer
  budget: Budget
  service: Service
  world: World
  attemptsMax: number
}>

/** `signal` ends all requests of the buyer. */
export async function openBuyer(options: BuyerOptions, signal: AbortSignal): Promise<OpenBuyer> {
  const { wallet, payTo = null, world = machine, timeoutMs = 60_000, attemptsMax = 8 } = options
  const service = { baseUrl: baseOf(options.baseUrl), fetch: options.fetch ?? fetch, signal, timeoutMs }
  const limits = limitsOf(options.limits)
  refuseBelowOne({ timeoutMs, attemptsMax })
  const payer = wallet === undefined ? null : await openPayer(wallet)
  const { spending = createSpendingMemory() } = options
  const store = 'file' in spending ? openSpendingFile(spending.file) : spending
  const budget = await openBudget({ store, limits, nowMs: world.nowMs }).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  const parts = { service, budget, world, attemptsMax }
  return { ...parts, buyer: createBuyer({ ...parts, payer, payTo }) }
}

const machine: World = {
  nowMs: Date.now,
  sleep: sleepUntilAborted,
  random: Math.random,
}

function baseOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new OperationError(
      'config_invalid',
      'baseUrl must be the address of a service, such as http://127.0.0.1:8402',
    )
  if (url.pathname === '/' && url.search === '') return url
  throw new OperationError('config_invalid', 'baseUrl has a path. Leave it out: all paths of the service begin with /')
}

function limitsOf({ perCallUsdc, perDayUsdc }: BuyerOptions['limits']) {
  const limits = {
    perCallUsdMicros: microsOf(perCallUsdc, 'limits.perCallUsdc'),
    perDayUsdMicros: microsOf(perDayUsdc, 'limits.perDayUsdc'),
  }
  if (limits.perCallUsdMicros <= limits.perDayUsdMicros) return limits
  throw new OperationError(
    'config_invalid',
    'limits.perCallUsdc is above limits.perDayUsdc. Lower it, or raise the limit of the day',
  )
}

function refuseBelowOne(numbers: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(numbers))
    if (!(Number.isSafeInteger(value) && value > 0))
      throw new OperationError('config_invalid', `${name} must be a whole number above 0`)
}
