/** What a node says happened: its logs word for word, who sent each transaction, and who held what at some of its blocks. */
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
  /** Transaction hash to sender, lower case. */
  senders: Readonly<Record<string, Word>>
  holdings: readonly Holding[]
  head: Readonly<{ number: number; atMs: number }>
}>

/** Which blocks can be the newest at a block time: the logs name some of the blocks, and the head. */
export function blocksAt({ logs, head }: Recording, blockAtMs: number): readonly [least: number, most: number] {
  const isLater = (log: RawLog) => Number(log.blockTimestamp) * 1000 > blockAtMs
  const numbers = (some: readonly RawLog[]) => some.map((log) => Number(log.blockNumber))
  const least = Math.max(0, ...numbers(logs.filter((log) => !isLater(log))))
  return [least, Math.min(head.number + 1, ...numbers(logs.filter(isLater))) - 1]
}

/** The positions of a pool at the end of a block, as the node's state has them. */
export type Holding = Readonly<{ pool: string; block: number; positions: readonly HeldPosition[] }>

export type HeldPosition = Readonly<{
  lower: number
  upper: number
  /** A decimal number; never 0. */
  liquidity: string
  /** Of the position NFT; null where the pool credits a contract directly, and on v3. */
  nftOwner: string | null
}>

/** Fails when the node answers with an error. */
export type AskNode = (method: string, params?: readonly unknown[]) => Promise<unknown>
