/**
 * Opens the configured payment networks and facilitators. Facilitators are the services that verify and
 * settle x402 payments.
 */
import { type Config, isSimulated } from '../infra/config.ts'
import { hostOf } from '../infra/http-url.ts'
import type { Logger } from '../infra/telemetry.ts'
import type { EpochMs } from '../schemas/units.ts'
import { createEvmNetwork, paymentNetwork } from './payments/evm/network.ts'
import { type FacilitatorAddress, facilitatorsOf } from './payments/facilitator/http-facilitator.ts'
import type { PaymentNetwork } from './payments/payment-network.ts'

type Money = Readonly<{
  /** The facilitators in order of preference. */
  facilitators: readonly FacilitatorAddress[]
  /**
   * The networks in the order in which they are offered to clients, because many clients take the first offer
   * that they can pay. If the list is empty, nothing can be sold.
   */
  networks: readonly PaymentNetwork[]
  /** A text for the operator that says how payments are settled. */
  text: string
  stop(): Promise<void>
}>

type Account = Readonly<{ rpcUrl: string; payTo: string; isLocal: boolean }>

type Opening = Readonly<{ logger: Pick<Logger, 'warn'>; nowMs: () => EpochMs }>

/**
 * Three cases:
 * - A facilitator is configured: payments are real money.
 * - No facilitator and no chain is configured, as in development: payments run on local chains with a worthless token.
 * - A chain but no facilitator is configured: nothing is sold (`payments_not_live`).
 */
export async function openMoney(config: Config, { logger, nowMs }: Opening): Promise<Money> {
  const facilitators = facilitatorsOf(config)
  const stop = async () => {}
  const evm = accountOf(config.X402_PAY_TO_EVM, config.X402_EVM_RPC_URL)
  if (facilitators.length > 0 && evm !== null) {
    const settledBy = facilitators.map(({ url }) => hostOf(url)).join(', else ')
    const networks = await networksOf(evm, accountOf(config.X402_PAY_TO_SVM, config.X402_SVM_RPC_URL), nowMs)
    return { facilitators, networks, text: `real USDC, settled by ${settledBy}`, stop }
  }
  if (!isSimulated(config))
    return { facilitators: [], networks: [], text: 'off: X402_FACILITATOR_URL is not set', stop }
  const { startLocalPayments } = await import('../infra/development/payments/start-local-payments.ts')
  const local = await startLocalPayments({ logger })
  const solana = local.solana && { ...local.solana, isLocal: true }
  return {
    facilitators: [{ url: local.facilitatorUrl, auth: null, isLocal: true }],
    networks: await networksOf({ ...local, isLocal: true }, solana, nowMs),
    text: `${solana ? 'local chains' : 'a local chain'}, in money without value`,
    stop: local.stop,
  }
}

const accountOf = (payTo: string | undefined, rpcUrl: string | undefined): Account | null =>
  payTo === undefined || rpcUrl === undefined ? null : { payTo, rpcUrl, isLocal: false }

async function networksOf(evm: Account, svm: Account | null, nowMs: () => EpochMs): Promise<readonly PaymentNetwork[]> {
  const base = createEvmNetwork({ network: paymentNetwork, ...evm })
  if (svm === null) return [base]
  // The packages for Solana load slowly, so they are imported only when needed.
  const { createSvmNetwork } = await import('./payments/svm/network.ts')
  return [base, await createSvmNetwork({ ...svm, nowMs })]
}
