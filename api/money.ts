/** Where payments go, as the configuration says. */
import { type Config, isSimulated } from '../infra/config.ts'
import { hostOf } from '../infra/http-url.ts'

type Money = Readonly<{
  /** Empty: nothing can be sold. */
  accounts: readonly Account[]
  /** For a person. */
  text: string
  stop(): Promise<void>
}>

type Account = Readonly<{ facilitatorUrl: string; rpcUrl: string; payTo: string; isLocal: boolean }>

/**
 * A configured facilitator is real money. Without one and without a chain to watch this is development: a local chain with
 * a token without value. A real chain without a facilitator sells nothing (`payments_not_live`).
 */
export async function openMoney(config: Config): Promise<Money> {
  const { X402_FACILITATOR_URL: facilitatorUrl, X402_PAY_TO_EVM: payTo, X402_EVM_RPC_URL: rpcUrl } = config
  const stop = async () => {}
  if (facilitatorUrl !== undefined && payTo !== undefined && rpcUrl !== undefined) {
    const accounts = [{ facilitatorUrl, rpcUrl, payTo, isLocal: false }]
    return { accounts, text: `real USDC, settled by ${hostOf(facilitatorUrl)}`, stop }
  }
  if (!isSimulated(config)) return { accounts: [], text: 'off: X402_FACILITATOR_URL is not set', stop }
  const { startLocalPayments } = await import('../infra/development/payments/start-local-payments.ts')
  const local = await startLocalPayments({})
  return { accounts: [{ ...local, isLocal: true }], text: 'a local chain, in money without value', stop: local.stop }
}
