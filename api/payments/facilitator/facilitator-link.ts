/** What the facilitators support, and whether they answer. The x402 server object is replaced as a whole and never changed. */
import { type FacilitatorClient, x402ResourceServer } from '@x402/core/server'
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

/** What clients send makes us ask at most this often. */
const askEveryMs = 1_000

export function createFacilitatorLink(options: LinkOptions): FacilitatorLink {
  const { nowMs, logger } = options
  let served: Served | null = null
  let isReachable = false
  let askedAtMs = Number.NEGATIVE_INFINITY
  let refreshing: Promise<void> | null = null
  let leftOut = ''

  const tellLeftOut = (connected: Served) => {
    const names = options.networks.filter((each) => !connected.networks.includes(each)).map(({ network }) => network)
    if (names.length > 0 && names.join() !== leftOut)
      logger.warn({ networks: names }, 'no facilitator serves these networks: they are left out of the offers')
    leftOut = names.join()
  }
  const refreshOnce = async () => {
    const connected = await connect(options)
    if (connected) tellLeftOut(connected)
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
    refresh,
  }
}

/** Asks every facilitator; null when none serves a network of ours. Networks without a facilitator are not offered. */
async function connect({ facilitators, networks }: LinkOptions): Promise<Served | null> {
  const clients: FacilitatorClient[] = []
  for (const client of facilitators) {
    // One lost connection does not mean that it is down.
    const supported = await client.getSupported().catch(() => client.getSupported().catch(() => null))
    // The server asks again when it is initialised: it gets this answer. It fails over one that supports nothing.
    if (supported && supported.kinds.length > 0)
      clients.push({
        verify: (payload, requirements) => client.verify(payload, requirements),
        settle: (payload, requirements) => client.settle(payload, requirements),
        getSupported: async () => supported,
      })
  }
  if (clients.length === 0) return null
  const server = new x402ResourceServer(clients)
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
  return servedNetworks.length === 0 ? null : { server, networks: servedNetworks }
}
