/** A wallet that pays on one network, made from a private key. */
import type { Hex } from 'viem'
import type { BuyerWallet } from '../../api/client/wallet.ts'
import { bytesOfBase58 } from '../base58.ts'
import { localKeyOf, localNetwork } from '../development/payments/local-dollar.ts'

export type NetworkName = 'evm' | 'solana'

export type Wallet = Readonly<{ address: string; buyer: BuyerWallet }>

export type WalletOptions = Readonly<{
  /** The private key of the wallet. If null, the wallet has the public development key. */
  privateKey: string | null
  /** The URL of a Solana node. If null, the client uses a public node. */
  rpcUrl: string | null
}>

/**
 * The x402 names of the networks on which a wallet pays. x402 clients know USDC only on real chains, so the
 * local development chains use the names of real chains.
 */
export const networkOf = {
  evm: localNetwork,
  solana: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
} as const

/** Opens a wallet. Loads only the packages for the given network. */
export const openWallet = (network: NetworkName, options: WalletOptions): Promise<Wallet> =>
  network === 'evm' ? openEvm(options) : openSolana(options)

async function openEvm({ privateKey }: WalletOptions): Promise<Wallet> {
  const { privateKeyToAccount } = await import('viem/accounts')
  const account = privateKeyToAccount((privateKey ?? localKeyOf('buyer')) as Hex)
  return { address: account.address, buyer: { network: 'evm', signer: account } }
}

async function openSolana({ privateKey, rpcUrl }: WalletOptions): Promise<Wallet> {
  const { createKeyPairSignerFromBytes } = await import('@solana/kit')
  const { solanaKeyOf } = await import('../development/payments/solana-dollar.ts')
  const key = bytesOfBase58(privateKey ?? (await solanaKeyOf('buyer')))
  const signer = await createKeyPairSignerFromBytes(new Uint8Array(key ?? []))
  const node = rpcUrl === null ? {} : { rpcUrl }
  return { address: signer.address, buyer: { network: 'solana', signer, ...node } }
}
