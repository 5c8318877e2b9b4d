import type { LocalPayments } from '../../infra/development/payments/start-local-payments.ts'
import { chainId } from '../support/chain-a-node/anvil.ts'
import type { ChainANode } from '../support/chain-a-node/node.ts'

/** Returns the configuration of a service with a local node. The service is paid on a local chain. */
export function chainAEnvironment(
  node: ChainANode,
  payments: LocalPayments,
  dataDir: string,
): Readonly<Record<string, string>> {
  const { poolManager, positionManager, v3Factory, weth, ethUsdFeed } = node.contracts
  return {
    DATA_DIR: dataDir,
    CHAIN_A_PRESET: 'local',
    CHAIN_A_RPC_URL: node.rpcUrl,
    CHAIN_A_CONTRACTS: JSON.stringify({ chainId, poolManager, positionManager, v3Factory, weth, ethUsdFeed }),
    VIEW_REFRESH_MS: '500',
    X402_FACILITATOR_URL: payments.facilitatorUrl,
    X402_PAY_TO_EVM: payments.payTo,
    X402_EVM_RPC_URL: payments.rpcUrl,
  }
}
