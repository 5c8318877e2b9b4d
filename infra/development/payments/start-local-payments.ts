/**
 * Starts everything that a paid call needs on one machine: an EVM chain, a Solana chain, a dollar token on
 * each chain, a facilitator and a buyer with money. This setup is for development and tests. The money has no
 * value, and the caller must show this to users.
 */
import { createPublicClient, type Hex } from 'viem'
import { isOperationError } from '../../errors.ts'
import type { Logger } from '../../telemetry.ts'
import { createChainClock } from './chain-clock.ts'
import { type LocalChain, startLocalChain } from './local-chain.ts'
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
import { type LocalSolana, startLocalSolana } from './start-local-solana.ts'

export type LocalPayments = Readonly<{
  facilitatorUrl: string
  rpcUrl: string
  payTo: string
  /** The private key of the buyer, which everybody knows. */
  buyerPrivateKey: Hex
  buyer: string
  /** Returns the balance of an address on the EVM chain, in millionths of a local dollar. */
  usdcBalanceOf: (address: string) => Promise<bigint>
  /** Mines a block on the EVM chain if its newest block is too old. */
  catchUp: () => Promise<void>
  /** The Solana chain. Null if its native package cannot be loaded, or if `isEvmAlone` is true. */
  solana: LocalSolana | null
  stop: () => Promise<void>
}>

export type LocalPaymentsOptions = Pick<LocalFacilitatorOptions, 'confirmationTimeoutMs' | 'walletFactories'> &
  Readonly<{
    /** The facilitator's port. Default: 0, any free port. */
    port?: number
    /** Whether to start only the EVM chain. Default: false. */
    isEvmAlone?: boolean
    /** The logger that gets a warning if the Solana chain cannot start. Default: none. */
    logger?: Pick<Logger, 'warn'>
  }>

const buyerUsdMicros = 1_000_000_000_000n

export async function startLocalPayments(options: LocalPaymentsOptions = {}): Promise<LocalPayments> {
  const { chain, solana } = await startChains(options)
  const { rpcUrl } = chain
  const clock = createChainClock({ rpcUrl })
  const stopChains = async () => {
    clock.stop()
    await Promise.all([chain.stop(), solana?.stop()])
  }
  try {
    await deployLocalDollar(rpcUrl, buyerUsdMicros)
    const settling = createLocalFacilitator({ rpcUrl, clock, solana, ...options })
    const facilitator = await serveFacilitator(settling, options.port ?? 0)
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
      solana,
      stop: async () => {
        await facilitator.stop()
        await stopChains()
      },
    }
  } catch (error) {
    await stopChains()
    throw error
  }
}

type Chains = Readonly<{ chain: LocalChain; solana: LocalSolana | null }>

/** Starts both chains at the same time, because each chain is a separate process. */
async function startChains({ logger, isEvmAlone = false }: LocalPaymentsOptions): Promise<Chains> {
  if (isEvmAlone) return { chain: await startLocalChain(localChainId), solana: null }
  const [evm, svm] = await Promise.allSettled([startLocalChain(localChainId), startLocalSolana(buyerUsdMicros)])
  if (evm.status === 'fulfilled' && svm.status === 'fulfilled') return { chain: evm.value, solana: svm.value }
  if (evm.status === 'fulfilled' && svm.status === 'rejected' && isOperationError(svm.reason, 'dependency_missing')) {
    logger?.warn(
      { err: svm.reason },
      'the local Solana chain could not start. The service takes payments only on the local EVM chain',
    )
    return { chain: evm.value, solana: null }
  }
  if (evm.status === 'fulfilled') await evm.value.stop()
  if (svm.status === 'fulfilled') await svm.value.stop()
  throw evm.status === 'rejected' ? evm.reason : (svm as PromiseRejectedResult).reason
}
