/**
 * The local dollar, a test token that takes the place of USDC on the local Solana chain, and its accounts.
 * The token has no value, and the keys are public.
 */
import { hash } from 'node:crypto'
import {
  type Address,
  address,
  createKeyPairSignerFromPrivateKeyBytes,
  getAddressEncoder,
  getProgramDerivedAddress,
  type KeyPairSigner,
} from '@solana/kit'
import { toBase58 } from '../../base58.ts'

/** The name of Solana mainnet. Clients know USDC on mainnet, so they treat the local dollar as USDC. */
export const localSolanaNetwork = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
/**
 * The genesis hash of Solana mainnet. The name of a network contains the first 32 characters of its genesis
 * hash.
 */
export const localGenesisHash = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKxM1p1kPLoca'
/** The mint of USDC on Solana. */
export const solanaDollarMint = address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
export const tokenProgram = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const associatedTokenProgram = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')

export type SolanaRole = 'facilitator' | 'buyer' | 'payTo'

const seedOf = (role: SolanaRole): Buffer => hash('sha256', `local dollar ${role}`, 'buffer')

/** The signer of an account. Everybody knows its key, so never send real money to the account. */
export const solanaSigner = (role: SolanaRole): Promise<KeyPairSigner> =>
  createKeyPairSignerFromPrivateKeyBytes(seedOf(role))

/** The private key as wallets export it: the seed and the address, in base58. */
export const solanaKeyOf = async (role: SolanaRole): Promise<string> =>
  toBase58(Buffer.concat([seedOf(role), Buffer.from(bytesOf((await solanaSigner(role)).address))]))

export async function dollarAccountOf(owner: string): Promise<Address> {
  const seeds = [owner, tokenProgram, solanaDollarMint].map((part) => bytesOf(address(part)))
  const [account] = await getProgramDerivedAddress({ programAddress: associatedTokenProgram, seeds })
  return account
}

const bytesOf = (account: Address): Uint8Array => new Uint8Array(getAddressEncoder().encode(account))

const mintBytes = 82
const accountBytes = 165
const decimals = 6

/** The data of a mint account that has no mint authority and no freeze authority. */
export function mintData(supply: bigint): Buffer {
  const data = Buffer.alloc(mintBytes)
  data.writeBigUInt64LE(supply, 36)
  data.writeUInt8(decimals, 44)
  data.writeUInt8(1, 45)
  return data
}

const amountAt = 64

/** The data of an initialised token account that has no delegate. */
export function dollarAccountData(owner: Address, amount: bigint): Buffer {
  const data = Buffer.alloc(accountBytes)
  data.set(bytesOf(solanaDollarMint), 0)
  data.set(bytesOf(owner), 32)
  data.writeBigUInt64LE(amount, amountAt)
  data.writeUInt8(1, 108)
  return data
}

export const amountIn = (accountData: Uint8Array): bigint => Buffer.from(accountData).readBigUInt64LE(amountAt)
