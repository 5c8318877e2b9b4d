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
