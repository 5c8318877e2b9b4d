/** A facilitator built on x402's facilitator core. It verifies payments and settles them on the local chains. */
import { x402Facilitator } from '@x402/core/facilitator'
import type { FacilitatorClient } from '@x402/core/server'
import type { SupportedResponse } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { toFacilitatorSvmSigner } from '@x402/svm'
import { ExactSvmScheme } from '@x402/svm/exact/facilitator'
import { createNonceManager, createWalletClient, publicActions } from 'viem'
import { jsonRpc } from 'viem/nonce'
import type { ChainClock } from './chain-clock.ts'
import { localAccount, localChainOf, localNetwork, localTransport } from './local-dollar.ts'
import { localSolanaNetwork } from './solana-dollar.ts'
import type { LocalSolana } from './start-local-solana.ts'

export type LocalFacilitatorOptions = Readonly<{
  rpcUrl: string
  clock: Pick<ChainClock, 'catchUp'>
  /** The local Solana chain. Null if the facilitator settles only on the EVM chain. */
  solana: Pick<LocalSolana, 'rpcUrl' | 'feePayer'> | null
  /**
   * The time for which a settlement waits for its block, in milliseconds. After this time, the answer is
   * `settlement_pending`. Default: 15,000.
   */
  confirmationTimeoutMs?: number
  /** Contracts that may deploy a buyer's wallet at the facilitator's cost (ERC-6492). Default: none. */
  walletFactories?: readonly string[]
}>

export function createLocalFacilitator(options: LocalFacilitatorOptions): FacilitatorClient {
  const { rpcUrl, clock, solana, confirmationTimeoutMs = 15_000, walletFactories = [] } = options
  const wallet = createWalletClient({
    // The account has its own nonce manager. The nonce manager that viem shares could return the nonce of
    // another local chain.
    account: { ...localAccount('facilitator'), nonceManager: createNonceManager({ source: jsonRpc() }) },
    chain: localChainOf(rpcUrl),
    transport: localTransport(rpcUrl),
    pollingInterval: 50,
  }).extend(publicActions)
  type Signer = Parameters<typeof toFacilitatorEvmSigner>[0]
  const signer = { ...wallet, address: wallet.account.address } as unknown as Signer
  const facilitator = new x402Facilitator().register(
    localNetwork,
    new ExactEvmScheme(toFacilitatorEvmSigner(signer, { confirmationTimeoutMs }), {
      eip6492AllowedFactories: [...walletFactories],
    }),
  )
  if (solana) {
    const svmSigner = toFacilitatorSvmSigner(solana.feePayer, { defaultRpcUrl: solana.rpcUrl })
    facilitator.register(localSolanaNetwork, new ExactSvmScheme(svmSigner))
  }
  return {
    async verify(payload, requirements) {
      await clock.catchUp()
      return facilitator.verify(payload, requirements)
    },
    async settle(payload, requirements) {
      await clock.catchUp()
      return facilitator.settle(payload, requirements)
    },
    getSupported: async () => facilitator.getSupported() as SupportedResponse,
  }
}
