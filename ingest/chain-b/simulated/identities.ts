/** Computes every account and transaction id of the simulated chain, as a pure function of the seed. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { hexOfBase58 } from '../../../infra/base58.ts'
import type { Address, TxHash } from '../../../schemas/units.ts'

/** The seed of the simulated chain, and the address of each wallet by number. */
export type Identities = Readonly<{ seed: number; walletAt: (index: number) => Address }>

/** Derives the address of an account from a seed and a text. */
export const accountOf = (seed: number, text: string): Address =>
  `0x${hash('sha256', `${seed}:b:${text}`, 'hex')}` as const

/**
 * Returns the address of a mint. The address ends with the number of the mint's plan, so the simulator can
 * find the plan of an address.
 */
export function mintOf(seed: number, id: number): Address {
  assert.ok(id >= 0 && id < 2 ** 32, 'the number of a mint must fit into four bytes')
  return `${accountOf(seed, `mint:${id}`).slice(0, -8)}${id.toString(16).padStart(8, '0')}` as Address
}

/**
 * Returns the number of a mint's plan, which is the end of the mint's address. Returns null if the mint does
 * not belong to this simulated chain.
 */
export function idOfMint(seed: number, mint: Address): number | null {
  const id = Number.parseInt(mint.slice(-8), 16)
  return mintOf(seed, id) === mint ? id : null
}

/** Returns the signature of a transaction. `index` counts the transactions of the mint with this id. */
export const transactionHash = (seed: number, id: number, index: number): TxHash =>
  `0x${hash('sha512', `${seed}:tx:${id}:${index}`, 'hex')}` as const

/** Creates the function that returns the address of a wallet by its number. */
export function createWallets(seed: number): (index: number) => Address {
  const known = new Map<number, Address>()
  return (index) => {
    const cached = known.get(index)
    if (cached !== undefined) return cached
    const wallet = accountOf(seed, `wallet:${index}`)
    known.set(index, wallet)
    return wallet
  }
}

function wellKnown(base58: string): Address {
  const bytes = hexOfBase58(base58, 32)
  assert.ok(bytes !== null, 'a well-known account must be 32 bytes in base58')
  return bytes
}

export const usdcMint = wellKnown('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
export const incinerator = wellKnown('1nc1nerator11111111111111111111111111111111')
/** The official agent that trades on all curves in mayhem mode. */
export const mayhemAgent = wellKnown('BwWK17cbHxwWBKZkUYvzxLcNQ1YVyaFezduWbtm2de6s')
