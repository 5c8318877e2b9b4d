/**
 * Defines the recorded data of a node: its logs, the sender of each transaction, and the owners of liquidity
 * at some blocks.
 */
export type Word = `0x${string}`

export type RawLog = Readonly<{
  address: Word
  topics: readonly Word[]
  data: Word
  blockNumber: Word
  blockTimestamp: Word
  transactionHash: Word
  logIndex: Word
}>

export type Recording = Readonly<{
  contracts: Readonly<Record<'poolManager' | 'positionManager' | 'stateView' | 'v3Factory' | 'weth', Word>>
  logs: readonly RawLog[]
  /** The sender of each transaction in lower case, by the hash of the transaction. */
  senders: Readonly<Record<string, Word>>
  holdings: readonly Holding[]
  head: Readonly<{ number: number; atMs: number }>
}>

/**
 * Returns the smallest and the largest possible number of the newest block at a block time. The number is not
 * exact, because the recording knows only the head and the blocks with logs.
 */
export function blocksAt({ logs, head }: Recording, blockAtMs: number): readonly [least: number, most: number] {
  const isLater = (log: RawLog) => Number(log.blockTimestamp) * 1000 > blockAtMs
  const numbers = (some: readonly RawLog[]) => some.map((log) => Number(log.blockNumber))
  const least = Math.max(0, ...numbers(logs.filter((log) => !isLater(log))))
  return [least, Math.min(head.number + 1, ...numbers(logs.filter(isLater))) - 1]
}

/** The positions of a pool at the end of a block, from the node's state. */
export type Holding = Readonly<{ pool: string; block: number; positions: readonly HeldPosition[] }>

export type HeldPosition = Readonly<{
  lower: number
  upper: number
  /** A decimal number above 0. */
  liquidity: string
  /** The owner of the position NFT. Null: a contract owns the liquidity directly, or the pool is on v3. */
  nftOwner: string | null
}>

/** Calls a method of the node. Fails if the node answers with an error. */
export type AskNode = (method: string, params?: readonly unknown[]) => Promise<unknown>
