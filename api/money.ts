/** Where payments go, as the configuration says. */
import { type Config, isSimulated } from '../infra/config.ts'
import { hostOf } from '../infra/http-url.ts'
import { type FacilitatorAddress, facilitatorsOf } from './payments/http-facilitator.ts'

type Money = Readonly<{
  /** Asked in this order. */
  facilitators: readonly FacilitatorAddress[]
  /** Empty: nothing can be sold. */
  accounts: readonly Account[]
  /** For a person. */
  text: string
  stop(): Promise<void>
}>

type Account = Readonly<{ rpcUrl: string; payTo: string; isLocal: boolean }>

/**
 * A configured facilitator is real money. Without one and without a chain to watch this is development: a local chain with
 * a token without value. A real chain without a facilitator sells nothing (`payments_not_live`).
 */
export async function openMoney(config: Config): Promise<Money> {
  const { X402_PAY_TO_EVM: payTo, X402_EVM_RPC_URL: rpcUrl } = config
  const facilitators = facilitatorsOf(config)
  const stop = async () => {}
  if (facilitators.length > 0 && payTo !== undefined && rpcUrl !== undefined) {
    const settledBy = facilitators.map(({ url }) => hostOf(url)).join(', else ')
    return {
      facilitators,
      accounts: [{ rpcUrl, payTo, isLocal: false }],
      text: `real USDC, settled by ${settledBy}`,
      stop,
    }
  }
  if (!isSimulated(config))
    return { facilitators: [], accounts: [], text: 'off: X402_FACILITATOR_URL is not set', stop }
  const { startLocalPayments } = await import('../infra/development/payments/start-local-payments.ts')
  const local = await startLocalPayments({})
  return {
    facilitators: [{ url: local.facilitatorUrl, auth: null, isLocal: true }],
    accounts: [{ ...local, isLocal: true }],
    text: 'a local chain, in money without value',
    stop: local.stop,
  }
}
