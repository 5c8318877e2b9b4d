/**
 * Tracks what the facilitators support and whether they answer. A new answer replaces the whole x402 server
 * object. A running purchase keeps the old object.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type FacilitatorClient, x402ResourceServer } from '@x402/core/server'
import { FacilitatorResponseError, FacilitatorTimeoutError, type SupportedResponse } from '@x402/core/types'
import type { Logger } from '../../../infra/telemetry.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import type { PaymentNetwork } from '../payment-network.ts'

export type FacilitatorLink = Readonly<{
  /**
   * The x402 server and its networks. Null while payments cannot be taken: no facilitator has answered yet, or none answered the last
   * request.
   */
  current: () => Served | null
  /**
   * Must be called when a facilitator gave no answer about a client's payment. The client's payload may be
   * the cause, so a missing answer does not show that the facilitator is down. This function calls
   * `getSupported` to find out.
   */
  doubt: () => void
  /**
   * Must be called when a facilitator rejects payment terms that it listed before. Calls `getSupported` of
   * the facilitators again, and resolves as soon as they have answered.
   */
  renew: () => Promise<void>
  /** Excludes a facilitator that reported a false settlement. Other facilitators then serve its networks, if they can. */
  distrust: (facilitator: FacilitatorClient) => void
  refresh: () => Promise<void>
}>

/** An x402 server, initialised with what its facilitators support, and the configured networks that these facilitators serve. */
export type Served = Readonly<{
  server: x402ResourceServer
  networks: readonly PaymentNetwork[]
  settledBy: (network: string) => FacilitatorClient | undefined
}>

type LinkOptions = Readonly<{
  facilitators: readonly FacilitatorClient[]
  networks: readonly PaymentNetwork[]
  nowMs: () => EpochMs
  logger: Pick<Logger, 'info' | 'warn'>
  /** Resolves when a missing answer counts as `late`. Default: after five seconds. */
  untilLate?: () => Promise<void>
}>

/**
 * The minimum interval, in ms, between two requests that `doubt` or `renew` sends. Otherwise clients' payments could
 * cause any number of requests.
 */
const askEveryMs = 1_000
const lateMs = 5_000

/** `late`: the facilitator did not answer in time, but may still answer. Null: the request failed. */
type Answer = SupportedResponse | 'late' | null

const warnings = {
  leftOut: 'no facilitator settles on these networks, so the offers leave them out. Check X402_FACILITATOR_URL',
  away: 'no facilitator answers. The service takes no payments until one answers. Check X402_FACILITATOR_URL',
  failed: 'a request to the facilitator failed. The service sends it again',
  doubted: 'the facilitator did not answer about a payment. The service asks now whether the facilitator is up',
} as const

export function createFacilitatorLink(options: LinkOptions): FacilitatorLink {
  const { facilitators, nowMs, logger, untilLate = () => sleep(lateMs, undefined, { ref: false }) } = options
  let served: Served | null = null
  let isReachable = false
  let askedAtMs = Number.NEGATIVE_INFINITY
  /** The number of answers that showed that a facilitator is up: answers about payments, and 429 answers. */
  let answerCount = 0
  let refreshing: Promise<void> | null = null
  let isWaitingForLate = false
  let leftOut = ''
  const distrusted = new Set<FacilitatorClient>()

  const logLeftOut = (connected: Served) => {
    const names = options.networks.filter((each) => !connected.networks.includes(each)).map(({ network }) => network)
    if (names.length > 0 && names.join() !== leftOut) logger.warn({ networks: names }, warnings.leftOut)
    leftOut = names.join()
  }
  const noteAnswer = () => {
    answerCount += 1
  }
  const conclude = (connected: Served | null, answersBefore: number) => {
    if (connected) logLeftOut(connected)
    if (connected && !isReachable)
      logger.info({ networks: connected.networks.map(({ network }) => network) }, 'payments are live')
    // The facilitator counts as up, although the request failed, if it answered about a payment after the
    // request began.
    const isAway = connected === null && !(isReachable && answerCount > answersBefore)
    if (isAway && isReachable) logger.warn(warnings.away)
    isReachable = !isAway
    served = connected ?? served
  }
  /**
   * Calls `getSupported` of all facilitators. A slow facilitator is skipped if another one answers. If no
   * facilitator answers in time, payments stay live or off as before until all calls have ended.
   */
  const refreshOnce = async () => {
    const answersBefore = answerCount
    const requests = facilitators.map(async (client) =>
      distrusted.has(client) ? null : askSupported(client, noteAnswer),
    )
    const inTime = await Promise.all(
      requests.map((answer) => Promise.race([answer, untilLate().then(() => 'late' as const)])),
    )
    const connected = await connect({ ...options, distrusted, noteAnswer }, inTime)
    if (connected || !inTime.includes('late')) return conclude(connected, answersBefore)
    isWaitingForLate = true
    void Promise.all(requests)
      .then(async (answers) => conclude(await connect({ ...options, distrusted, noteAnswer }, answers), answersBefore))
      .catch((error) => logger.warn({ err: error }, warnings.failed))
      .finally(() => {
        isWaitingForLate = false
      })
  }
  const refresh = async () => {
    if (isWaitingForLate) return
    refreshing ??= refreshOnce().finally(() => {
      refreshing = null
    })
    await refreshing
  }
  const mayAsk = (): boolean => {
    if (Math.abs(nowMs() - askedAtMs) < askEveryMs) return false
    askedAtMs = nowMs()
    return true
  }
  const ask = () => refresh().catch((error) => logger.warn({ err: error }, warnings.failed))
  return {
    current: () => (isReachable ? served : null),
    doubt: () => {
      if (!mayAsk()) return
      logger.warn(warnings.doubted)
      void ask()
    },
    renew: async () => {
      if (mayAsk()) await ask()
      else await refreshing?.catch(() => {})
    },
    distrust: (facilitator) => {
      if (distrusted.has(facilitator)) return
      distrusted.add(facilitator)
      isReachable = false
      served = null
      void ask()
    },
    refresh,
  }
}

/**
 * Calls `getSupported` of a facilitator. Repeats a failed call, because one lost connection does not mean that the facilitator is down.
 * After a timeout or a 429, a second call would not help.
 */
function askSupported(client: FacilitatorClient, noteAnswer: () => void): Promise<SupportedResponse | null> {
  const retry = (error: unknown) => {
    // A 429 shows that the facilitator is up.
    if (isRateLimit(error)) noteAnswer()
    if (isRateLimit(error) || error instanceof FacilitatorTimeoutError) return null
    return client.getSupported().catch(() => null)
  }
  return client.getSupported().catch(retry)
}

const isRateLimit = (error: unknown): boolean =>
  error instanceof FacilitatorResponseError && / failed \(429\)$/.test(error.message)

type Connecting = Pick<LinkOptions, 'facilitators' | 'networks'> &
  Readonly<{ distrusted: ReadonlySet<FacilitatorClient>; noteAnswer: () => void }>

/** Returns null if no facilitator that answered serves a configured network. Networks without a facilitator are not offered. */
async function connect(
  { facilitators, networks, distrusted, noteAnswer }: Connecting,
  answers: readonly Answer[],
): Promise<Served | null> {
  const connected = facilitators.flatMap((client, index) => {
    const supported = answers[index]
    const isOfUse = supported && supported !== 'late' && supported.kinds.length > 0 && !distrusted.has(client)
    return isOfUse ? [{ client, supported }] : []
  })
  if (connected.length === 0) return null
  const server = new x402ResourceServer(
    connected.map(({ client, supported }) => answering(client, supported, noteAnswer)),
  )
  for (const { network, scheme } of networks) server.register(network, scheme)
  // `initialize` fails if the server does not understand what a facilitator supports.
  const isReady = await server.initialize().then(
    () => true,
    () => false,
  )
  if (!isReady) return null
  const isServed = ({ network, isOfferable }: PaymentNetwork) => {
    const kind = server.getSupportedKind(2, network, 'exact')
    return kind !== undefined && (isOfferable?.(kind.extra) ?? true)
  }
  const servedNetworks = networks.filter(isServed)
  // The x402 server chooses in the same way: the first facilitator that lists the network.
  const settledBy = (name: string) =>
    connected.find(({ supported }) => supported.kinds.some((kind) => isExact(kind) && kind.network === name))?.client
  return servedNetworks.length === 0 ? null : { server, networks: servedNetworks, settledBy }
}

const isExact = ({ x402Version, scheme }: SupportedResponse['kinds'][number]): boolean =>
  x402Version === 2 && scheme === 'exact'

/**
 * A facilitator client for the x402 server. When the server is initialised, it calls `getSupported`. This client returns the answer that is
 * already known.
 */
function answering(client: FacilitatorClient, supported: SupportedResponse, noteAnswer: () => void): FacilitatorClient {
  const noted = async <Answer>(request: Promise<Answer>): Promise<Answer> => {
    const answer = await request
    noteAnswer()
    return answer
  }
  return {
    verify: (payload, requirements) => noted(client.verify(payload, requirements)),
    settle: (payload, requirements) => noted(client.settle(payload, requirements)),
    getSupported: async () => supported,
  }
}
