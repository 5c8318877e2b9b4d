/** What the facilitators support, and whether they answer. The x402 server object is replaced as a whole and never changed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type FacilitatorClient, x402ResourceServer } from '@x402/core/server'
import { FacilitatorResponseError, FacilitatorTimeoutError, type SupportedResponse } from '@x402/core/types'
import type { Logger } from '../../../infra/telemetry.ts'
import type { PaymentNetwork } from '../payment-network.ts'

export type FacilitatorLink = Readonly<{
  /** Null while payments cannot be taken: no facilitator answered yet, or none answered a question of our own. */
  current: () => Served | null
  /**
   * A call about a client's payment was not answered. Only our own question, what the facilitator supports, tells whether it
   * is down: what a client sends could be the cause of the other.
   */
  doubt: () => void
  /** A facilitator no longer stands by what it said it supports: it is asked again. Done when it has answered. */
  renew: () => Promise<void>
  /** It has lied: it is asked nothing any more. The others take over, if there are any. */
  distrust: (facilitator: FacilitatorClient) => void
  refresh: () => Promise<void>
}>

/** A server that knows what its facilitators support, and the networks among ours that they do. */
export type Served = Readonly<{
  server: x402ResourceServer
  networks: readonly PaymentNetwork[]
  /** Which facilitator settles the payments of a network. */
  settledBy: (network: string) => FacilitatorClient | undefined
}>

type LinkOptions = Readonly<{
  facilitators: readonly FacilitatorClient[]
  networks: readonly PaymentNetwork[]
  nowMs: () => number
  logger: Pick<Logger, 'info' | 'warn'>
  /** Ends when an answer counts as late. Default: after five seconds. */
  untilLate?: () => Promise<void>
}>

/** What clients send makes us ask at most this often. */
const askEveryMs = 1_000
const lateMs = 5_000

/** `late`: it may still answer. Null: it failed. */
type Answer = SupportedResponse | 'late' | null

export function createFacilitatorLink(options: LinkOptions): FacilitatorLink {
  const { facilitators, nowMs, logger, untilLate = () => sleep(lateMs, undefined, { ref: false }) } = options
  let served: Served | null = null
  let isReachable = false
  let askedAtMs = Number.NEGATIVE_INFINITY
  /** How often facilitators have answered about payments, or asked us to come later. */
  let heardCount = 0
  let refreshing: Promise<void> | null = null
  let isWaitingForLate = false
  let leftOut = ''
  const distrusted = new Set<FacilitatorClient>()

  const tellLeftOut = (connected: Served) => {
    const names = options.networks.filter((each) => !connected.networks.includes(each)).map(({ network }) => network)
    if (names.length > 0 && names.join() !== leftOut)
      logger.warn({ networks: names }, 'no facilitator serves these networks: they are left out of the offers')
    leftOut = names.join()
  }
  const hear = () => {
    heardCount += 1
  }
  const conclude = (connected: Served | null, heardBefore: number) => {
    if (connected) tellLeftOut(connected)
    if (connected && !isReachable)
      logger.info({ networks: connected.networks.map(({ network }) => network) }, 'payments are live')
    // One that answered about a payment meanwhile is not away, whatever became of our question.
    const isAway = connected === null && !(isReachable && heardCount > heardBefore)
    if (isAway && isReachable) logger.warn('no facilitator answers: payments are not live')
    isReachable = !isAway
    served = connected ?? served
  }
  /** A facilitator that is late is passed over where another one answers. Otherwise nothing changes until it is known. */
  const refreshOnce = async () => {
    const heardBefore = heardCount
    const asked = facilitators.map(async (client) => (distrusted.has(client) ? null : askSupported(client, hear)))
    const inTime = await Promise.all(
      asked.map((answer) => Promise.race([answer, untilLate().then(() => 'late' as const)])),
    )
    const connected = await connect({ ...options, distrusted, hear }, inTime)
    if (connected || !inTime.includes('late')) return conclude(connected, heardBefore)
    isWaitingForLate = true
    void Promise.all(asked)
      .then(async (answers) => conclude(await connect({ ...options, distrusted, hear }, answers), heardBefore))
      .catch((error) => logger.warn({ err: error }, 'the facilitator could not be asked'))
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
  const ask = () => refresh().catch((error) => logger.warn({ err: error }, 'the facilitator could not be asked'))
  return {
    current: () => (isReachable ? served : null),
    doubt: () => {
      if (!mayAsk()) return
      logger.warn('the facilitator did not answer about a payment: it is asked whether it is up')
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

/** One lost connection does not mean that it is down, and one that is late is not hurried by a second question. */
function askSupported(client: FacilitatorClient, hear: () => void): Promise<SupportedResponse | null> {
  const retry = (error: unknown) => {
    // It is there, and wants to be left alone.
    if (isRateLimit(error)) hear()
    if (isRateLimit(error) || error instanceof FacilitatorTimeoutError) return null
    return client.getSupported().catch(() => null)
  }
  return client.getSupported().catch(retry)
}

const isRateLimit = (error: unknown): boolean =>
  error instanceof FacilitatorResponseError && / failed \(429\)$/.test(error.message)

type Connecting = Pick<LinkOptions, 'facilitators' | 'networks'> &
  Readonly<{ distrusted: ReadonlySet<FacilitatorClient>; hear: () => void }>

/** Null when none of those that answered serves a network of ours. Networks without a facilitator are not offered. */
async function connect(
  { facilitators, networks, distrusted, hear }: Connecting,
  answers: readonly Answer[],
): Promise<Served | null> {
  const connected = facilitators.flatMap((client, index) => {
    const supported = answers[index]
    const isOfUse = supported && supported !== 'late' && supported.kinds.length > 0 && !distrusted.has(client)
    return isOfUse ? [{ client, supported }] : []
  })
  if (connected.length === 0) return null
  const server = new x402ResourceServer(connected.map(({ client, supported }) => answering(client, supported, hear)))
  for (const { network, scheme } of networks) server.register(network, scheme)
  // What a facilitator says may make no sense to it.
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
  // As the server chooses it.
  const settledBy = (name: string) =>
    connected.find(({ supported }) => supported.kinds.some((kind) => isExact(kind) && kind.network === name))?.client
  return servedNetworks.length === 0 ? null : { server, networks: servedNetworks, settledBy }
}

const isExact = ({ x402Version, scheme }: SupportedResponse['kinds'][number]): boolean =>
  x402Version === 2 && scheme === 'exact'

/** The server asks again when it is initialised: it gets this answer. It fails over one that supports nothing. */
function answering(client: FacilitatorClient, supported: SupportedResponse, hear: () => void): FacilitatorClient {
  const heard = async <Said>(asked: Promise<Said>): Promise<Said> => {
    const said = await asked
    hear()
    return said
  }
  return {
    verify: (payload, requirements) => heard(client.verify(payload, requirements)),
    settle: (payload, requirements) => heard(client.settle(payload, requirements)),
    getSupported: async () => supported,
  }
}
