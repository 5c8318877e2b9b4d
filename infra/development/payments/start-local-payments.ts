/**
 * Starts everything that a paid call needs on one machine: a chain, a dollar on it, a facilitator and a buyer with
 * money. For development and tests: the money has no value, and the caller must tell users so.
 */
import { createPublicClient, type Hex } from 'viem'
import { createChainClock } from './chain-clock.ts'
import { startLocalChain } from './local-chain.ts'
import {
  deployLocalDollar,
  localAccount,
  localChainId,
  localChainOf,
  localDollarAbi,
  localDollarAddress,
  localKeyOf,
  localTransport,
} from './local-dollar.ts'
import { createLocalFacilitator, type LocalFacilitatorOptions } from './local-facilitator.ts'
import { serveFacilitator } from './serve-facilitator.ts'

export type LocalPayments = Readonly<{
  facilitatorUrl: string
  rpcUrl: string
  payTo: string
  /** The buyer's key, which is public. */
  buyerPrivateKey: Hex
  buyer: string
  /** In millionths of a local dollar. */
  usdcBalanceOf: (address: string) => Promise<bigint>
  /** The chain's head is of now then. */
  catchUp: () => Promise<void>
  stop: () => Promise<void>
}>

export type LocalPaymentsOptions = Pick<LocalFacilitatorOptions, 'confirmationTimeoutMs' | 'walletFactories'> &
  Readonly<{
    /** The facilitator's port. Default: 0, any free port. */
    port?: number
  }>

const buyerUsdMicros = 1_000_000_000_000n

export async function startLocalPayments(options: LocalPaymentsOptions = {}): Promise<LocalPayments> {
  const chain = await startLocalChain(localChainId)
  const { rpcUrl } = chain
  const clock = createChainClock({ rpcUrl })
  const stopChain = () => {
    clock.stop()
    return chain.stop()
  }
  try {
    await deployLocalDollar(rpcUrl, buyerUsdMicros)
    const facilitator = await serveFacilitator(createLocalFacilitator({ rpcUrl, clock, ...options }), options.port ?? 0)
    const client = createPublicClient({ chain: localChainOf(rpcUrl), transport: localTransport(rpcUrl) })
    return {
      facilitatorUrl: facilitator.url,
      rpcUrl,
      payTo: localAccount('payTo').address,
      buyerPrivateKey: localKeyOf('buyer'),
      buyer: localAccount('buyer').address,
      usdcBalanceOf: (address) =>
        client.readContract({
          address: localDollarAddress,
          abi: localDollarAbi,
          functionName: 'balanceOf',
          args: [address as Hex],
        }),
      catchUp: clock.catchUp,
      stop: async () => {
        await facilitator.stop()
        await stopChain()
      },
    }
  } catch (error) {
    await stopChain()
    throw error
  }
}
