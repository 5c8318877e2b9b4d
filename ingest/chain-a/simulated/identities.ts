/**
 * Computes every identity on the simulated chain from the seed alone: wallets, tokens, pools, blocks and transactions.
 */
import { hash } from 'node:crypto'
import { keccak256 } from 'viem'
import type { Address, BlockHash, BlockNumber, Hex, PoolId, PositionId, TxHash } from '../../../schemas/units.ts'
import { mixTwo } from '../../simulated/random.ts'

export const nativeEth: Address = '0x0000000000000000000000000000000000000000'
export const weth: Address = '0x0bd7d308f8e1639fab988df18a8011f41eacad73'
/** The position managers, by exchange version. */
export const positionManagers = {
  v4: '0x58daec3116aae6d93017baaea7749052e8a04fa7',
  v3: '0x73991a25c818bf1f1128deaab1492d45638de0d3',
} as const

/** Returns 32 pseudo-random bytes that depend only on the seed and the text. */
function digest(seed: number, text: string): Hex {
  return `0x${hash('sha256', `${seed}:${text}`, 'hex')}`
}

/** The seed of the simulated chain, and the address of each wallet by number. */
export type Identities = Readonly<{ seed: number; walletAt: (index: number) => Address }>

export const addressOf = (seed: number, text: string): Address => `0x${digest(seed, text).slice(26)}` as const

/**
 * Returns the address of a token. The address ends with the number of the token's plan, so the simulator can
 * find the plan of an address.
 */
export const tokenAddress = (address: Address, id: number): Address =>
  `${address.slice(0, -8)}${id.toString(16).padStart(8, '0')}` as Address

/**
 * Returns the number of a token's plan, which is the end of the token's address. For any other address, the
 * result has no meaning.
 */
export const idOfToken = (token: string): number => Number.parseInt(token.slice(-8), 16)

/**
 * The Unix time of block 0, in seconds. The chain has one block per second. Block numbers are low, like those of a
 * young chain.
 */
const genesisAtSec = 1_700_000_000
export const blockNumberAt = (second: number): BlockNumber => second - genesisAtSec
export const secondOfBlock = (blockNumber: BlockNumber): number => blockNumber + genesisAtSec
export const blockHashAt = (seed: number, second: number): BlockHash => digest(seed, `block:${blockNumberAt(second)}`)
/** Returns the hash of the block that replaces the block of this second in a reorg. */
export const branchHashAt = (seed: number, second: number): BlockHash => digest(seed, `branch:${blockNumberAt(second)}`)

/** The number of position NFT ids that are reserved for each launch. */
const positionsPerLaunch = 64
export const positionIdOf = (launchId: number, number: number): PositionId =>
  `0x${(launchId * positionsPerLaunch + number).toString(16).padStart(64, '0')}` as const
export const launchOfPosition = (positionId: PositionId): number => Math.floor(Number(positionId) / positionsPerLaunch)

export type PoolKey = Readonly<{ token: Address; eth: Address; fee: number; tickSpacing: number; hooks: Address }>

/**
 * Computes the pool id of the v4 PoolManager: the hash of the five words of the key, with the currencies in numeric
 * order.
 */
export function v4PoolId(key: PoolKey): PoolId {
  const [currency0, currency1] = key.eth < key.token ? [key.eth, key.token] : [key.token, key.eth]
  const numbers = [key.fee, key.tickSpacing].map((number) => number.toString(16))
  const words = [currency0.slice(2), currency1.slice(2), ...numbers, key.hooks.slice(2)]
  return keccak256(`0x${words.map((part) => part.padStart(64, '0')).join('')}`)
}

/**
 * Creates the function that returns a wallet's address by number. The same number gives the same address in
 * every launch.
 */
export function createWallets(seed: number): (index: number) => Address {
  const known = new Map<number, Address>()
  return (index) => {
    const cached = known.get(index)
    if (cached !== undefined) return cached
    const wallet = addressOf(seed, `wallet:${index}`)
    known.set(index, wallet)
    return wallet
  }
}

/** One buffer for all hashes: `toString(16)` is slow for numbers above 2^31, and so is a new buffer for each hash. */
const hashWords = Buffer.alloc(12)
const proofOf = (seed: number, chance: number, wallet: Address): number =>
  mixTwo(mixTwo(seed, chance), Number.parseInt(wallet.slice(2, 10), 16))

/**
 * Returns a transaction hash. The first two words are random. The third word proves that the hash belongs to
 * this simulated chain. The last 20 bytes are the sender's address, so `senderOf` needs no table of senders.
 */
export function transactionHash(
  seed: number,
  wallet: Address,
  nonce: Readonly<{ launchId: number; index: number }>,
): Hex {
  const first = mixTwo(mixTwo(seed, nonce.launchId), nonce.index)
  const second = mixTwo(first ^ nonce.launchId, nonce.index)
  hashWords.writeUInt32BE(first, 0)
  hashWords.writeUInt32BE(second, 4)
  hashWords.writeUInt32BE(proofOf(seed, first ^ second, wallet), 8)
  return `0x${hashWords.toString('hex')}${wallet.slice(2)}`
}

/**
 * Returns the sender of a transaction. Returns null for a hash that does not belong to this simulated chain.
 */
export function senderOf(seed: number, txHash: TxHash): Address | null {
  const wallet: Address = `0x${txHash.slice(26).toLowerCase()}` as const
  const [first, second, proof] = [2, 10, 18].map((start) => Number.parseInt(txHash.slice(start, start + 8), 16))
  if (txHash.length !== 66 || first === undefined || second === undefined) return null
  return proofOf(seed, first ^ second, wallet) === proof ? wallet : null
}
