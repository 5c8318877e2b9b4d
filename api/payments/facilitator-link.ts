/** What the facilitators support, and whether they answer. The x402 server object is replaced as a whole and never changed. */
import { type FacilitatorClient, HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server'
import type { Logger } from '../../infra/telemetry.ts'
import type { PaymentNetwork } from './payment-network.ts'

export type FacilitatorLink = Readonly<{
  /** Null while payments cannot be taken: no facilitator answered yet, or it stopped answering. */
  current: () => Served | null
  retryAfterSec: () => number
  reportSuccess: () => void
  /** The facilitator did not answer a call. Asks it at once what it supports, to learn whether it is down. */
  reportFailure: () => void
  refresh: () => Promise<void>
}>

/** A server that knows what its facilitators support, and the networks among ours that they do. */
export type Served = Readonly<{ server: x402ResourceServer; networks: readonly PaymentNetwork[] }>

type LinkOptions = Readonly<{
  facilitators: readonly FacilitatorClient[]
  networks: readonly PaymentNetwork[]
  nowMs: () => number
  logger: Pick<Logger, 'info' | 'warn'>
}>

/** After this many unanswered calls in a row, payments pause. */
const failureCountMax = 3
const pauseMs = 10_000
const retrySec = 5

export function createFacilitatorLink(options: LinkOptions): FacilitatorLink {
  const { nowMs, logger } = options
  let served: Served | null = null
  let isReachable = false
  let failureCount = 0
  let pausedUntilMs = 0
  let refreshing: Promise<void> | null = null

  const refreshOnce = async () => {
    const connected = await connect(options)
    if (connected && !isReachable)
      logger.info({ networks: connected.networks.map(({ network }) => network) }, 'payments are live')
    if (!connected && isReachable) logger.warn('no facilitator answers: payments are not live')
    isReachable = connected !== null
    served = connected ?? served
  }
  const refresh = () => {
    refreshing ??= refreshOnce().finally(() => {
      refreshing = null
    })
    return refreshing
  }
  return {
    current: () => (isReachable && nowMs() >= pausedUntilMs ? served : null),
    retryAfterSec: () => Math.max(retrySec, Math.ceil((pausedUntilMs - nowMs()) / 1000)),
    reportSuccess: () => {
      failureCount = 0
    },
    reportFailure: () => {
      failureCount += 1
      if (failureCount >= failureCountMax) pausedUntilMs = nowMs() + pauseMs
      void refresh()
    },
    refresh,
  }
}

/** Asks every facilitator; null when none serves a network of ours. Networks without a facilitator are not offered. */
async function connect({ facilitators, networks, logger }: LinkOptions): Promise<Served | null> {
  const clients: FacilitatorClient[] = []
  for (const client of facilitators) {
    const supported = await client.getSupported().catch(() => null)
    // The server asks again when it is initialised: it gets this answer.
    if (supported)
      clients.push({
        verify: (payload, requirements) => client.verify(payload, requirements),
        settle: (payload, requirements) => client.settle(payload, requirements),
        getSupported: async () => supported,
      })
  }
  if (clients.length === 0) return null
  const server = new x402ResourceServer(clients)
  for (const { network, scheme } of networks) server.register(network, scheme)
  await server.initialize()
  const isServed = ({ network }: PaymentNetwork) => server.getSupportedKind(2, network, 'exact') !== undefined
  for (const { network } of networks.filter((network) => !isServed(network)))
    logger.warn({ network }, 'no facilitator serves this network: it is left out of the offers')
  const servedNetworks = networks.filter(isServed)
  return servedNetworks.length === 0 ? null : { server, networks: servedNetworks }
}

/** A facilitator over HTTP. Verifying is quick; settling waits for the chain. */
export function createHttpFacilitator(
  options: Readonly<{ url: string; verifyTimeoutMs?: number; settleTimeoutMs?: number }>,
): FacilitatorClient {
  const { url, verifyTimeoutMs = 5_000, settleTimeoutMs = 20_000 } = options
  const quick = new HTTPFacilitatorClient({ url, timeoutMs: verifyTimeoutMs })
  const patient = new HTTPFacilitatorClient({ url, timeoutMs: settleTimeoutMs })
  return {
    verify: (payload, requirements) => quick.verify(payload, requirements),
    settle: (payload, requirements) => patient.settle(payload, requirements),
    getSupported: () => quick.getSupported(),
  }
}
