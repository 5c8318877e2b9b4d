/** Decodes the event logs of Uniswap word by word, without a library. */
import type { OracleRules } from './oracle-rules.ts'
import type { RawLog, Recording } from './recording.ts'

export type OraclePool = Readonly<{
  id: string
  dex: 'v4' | 'v3'
  token: string
  ethIsToken0: boolean
  hooks: string | null
  createdBlock: number
  createdAtMs: number
  /** The sender of the transaction that created the pool. */
  creator: string
}>

type Counting = Pick<OracleRules, 'ownHookCounts' | 'limitPricesCount'>

type At = Readonly<{ pool: string; block: number; atMs: number; order: number }>

export type OracleSwap = At & Readonly<{ ethWei: bigint; px: number; sqrtPrice: number; tx: string }>
/**
 * A change of liquidity. A `delta` of 0 only collects fees. `owner` is the owner for the pool, and `sender`
 * sent the transaction. `salt` is null on v3.
 */
export type OracleLiquidity = At &
  Readonly<{
    lower: number
    upper: number
    delta: bigint
    owner: string
    salt: string | null
    tx: string
    sender: string
  }>
/** The transfer of a position NFT. */
type OracleTransfer = At
/** The first price of a pool, which was not made by a swap. */
type OraclePrice = At & Readonly<{ px: number; sqrtPrice: number }>

export type OracleEvents = Readonly<{
  pools: readonly OraclePool[]
  /** The swaps that count. */
  swaps: readonly OracleSwap[]
  liquidity: readonly OracleLiquidity[]
  transfers: readonly OracleTransfer[]
  /** All logs about a pool. */
  touches: readonly At[]
  firstPrices: readonly OraclePrice[]
}>

const topics = {
  v4Initialize: '0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438',
  v4ModifyLiquidity: '0xf208f4912782fd25c7f114ca3723a2d5dd6f3bcc3ac8db5af63baa85f711d5ec',
  v4Swap: '0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f',
  v3PoolCreated: '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118',
  v3Initialize: '0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95',
  v3Swap: '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
  v3Mint: '0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde',
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  v3Burn: '0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c',
} as const

const none = `0x${'0'.repeat(40)}`
const addressIn = (word: string | undefined): string => `0x${(word ?? '').slice(-40)}`.toLowerCase()
const word = (log: RawLog, index: number): string => log.data.slice(2 + index * 64, 66 + index * 64)
const unsigned = (text: string): bigint => BigInt(`0x${text}`)
const signed = (text: string): bigint => BigInt.asIntN(256, unsigned(text))
const topic = (log: RawLog, index: number): string => (log.topics[index] ?? '').slice(2)
const atMsOf = (log: RawLog): number => Number(log.blockTimestamp) * 1000

/**
 * Returns the token of a pool and the side on which its ETH or WETH is. Null: the pair is not ETH or WETH
 * against a token.
 */
function ethSide(weth: string, token0: string, token1: string) {
  const isEth = (address: string) => address === none || address === weth
  if (isEth(token0) === isEth(token1)) return null
  return isEth(token0) ? { token: token1, ethIsToken0: true } : { token: token0, ethIsToken0: false }
}

export function readEvents(recording: Recording, rules: Counting): OracleEvents {
  const { positionManager } = recording.contracts
  const poolOf = createPoolOf(recording)
  const events = {
    ...{ swaps: [] as OracleSwap[], liquidity: [] as OracleLiquidity[], transfers: [] as OracleTransfer[] },
    ...{ touches: [] as At[], firstPrices: [] as OraclePrice[] },
  }
  const inOrder = [...recording.logs].sort((a, b) => orderOf(a) - orderOf(b))
  for (const log of inOrder) {
    const pool = poolOf(log)
    if (pool === undefined || !isKnownTopic(log)) continue
    const at = place(log, pool)
    events.touches.push(at)
    if (isFrom(log, positionManager)) events.transfers.push(at)
    const swap = readSwap(log, pool, rules)
    if (swap !== null) events.swaps.push(swap)
    const change = readLiquidity(log, pool)
    if (change !== null) events.liquidity.push({ ...change, sender: recording.senders[log.transactionHash] ?? '' })
    const first = readFirstPrice(log, pool)
    if (first !== null) events.firstPrices.push(first)
  }
  return { pools: [...readPools(recording).values()], ...events }
}

const knownTopics = new Set<string>(Object.values(topics))
const isKnownTopic = (log: RawLog): boolean => knownTopics.has(log.topics[0] ?? '')
const isFrom = (log: RawLog, address: string): boolean => log.address.toLowerCase() === address.toLowerCase()

/**
 * Returns a function that finds the tracked pool of a log. A position NFT belongs to the pool of its first
 * liquidity. This is also true for the NFT's mint, which comes before that liquidity.
 */
function createPoolOf(recording: Recording): (log: RawLog) => OraclePool | undefined {
  const { poolManager, positionManager, v3Factory } = recording.contracts
  const pools = readPools(recording)
  const ofV4 = (log: RawLog) => pools.get(`0x${topic(log, 1)}`.toLowerCase())
  const byNft = new Map<string, OraclePool | undefined>()
  for (const log of recording.logs) {
    const isNft =
      log.topics[0] === topics.v4ModifyLiquidity && addressIn(log.topics[2]) === positionManager.toLowerCase()
    if (isNft && isFrom(log, poolManager)) byNft.set(word(log, 3), ofV4(log))
  }
  return (log) => {
    if (isFrom(log, positionManager)) return byNft.get(topic(log, 3))
    if (isFrom(log, v3Factory)) return pools.get(addressIn(word(log, 1)))
    return isFrom(log, poolManager) ? ofV4(log) : pools.get(log.address.toLowerCase())
  }
}

/** Returns one number that orders logs by block and log index. A log index is less than a million. */
const orderOf = (log: RawLog): number => Number(log.blockNumber) * 1_000_000 + Number(log.logIndex)

function readPools({ contracts, logs, senders }: Recording): Map<string, OraclePool> {
  const pools = new Map<string, OraclePool>()
  const weth = contracts.weth.toLowerCase()
  const add = (
    log: RawLog,
    pool: Readonly<{ id: string; dex: 'v4' | 'v3'; hooks: string | null }>,
    firstTopic: number,
  ) => {
    const side = ethSide(weth, addressIn(log.topics[firstTopic]), addressIn(log.topics[firstTopic + 1]))
    if (side === null) return
    const creator = senders[log.transactionHash] ?? ''
    pools.set(pool.id, { ...pool, ...side, createdBlock: Number(log.blockNumber), createdAtMs: atMsOf(log), creator })
  }
  for (const log of logs) {
    const from = log.address.toLowerCase()
    if (from === contracts.poolManager.toLowerCase() && log.topics[0] === topics.v4Initialize) {
      const hooks = addressIn(word(log, 2))
      add(log, { id: `0x${topic(log, 1)}`.toLowerCase(), dex: 'v4', hooks: hooks === none ? null : hooks }, 2)
    }
    if (from === contracts.v3Factory.toLowerCase() && log.topics[0] === topics.v3PoolCreated)
      add(log, { id: addressIn(word(log, 1)), dex: 'v3', hooks: null }, 1)
  }
  return pools
}

const place = (log: RawLog, pool: OraclePool): At => ({
  pool: pool.id,
  block: Number(log.blockNumber),
  atMs: atMsOf(log),
  order: orderOf(log),
})

/** Returns the price in ETH per raw token unit. */
export function priceOf(
  sqrtPriceX96: bigint,
  pool: Pick<OraclePool, 'ethIsToken0'>,
): Readonly<{ px: number; sqrtPrice: number }> {
  const sqrtPrice = Number(sqrtPriceX96) / 2 ** 96
  const token1PerToken0 = sqrtPrice * sqrtPrice
  return { sqrtPrice, px: pool.ethIsToken0 ? 1e-18 / token1PerToken0 : token1PerToken0 * 1e-18 }
}

/** The ticks of the lowest and the highest possible price. */
const tickLowest = -887272
const tickHighest = 887271

type Counted = Readonly<{ ethWei: bigint; tick: number; sender: string }>

/**
 * Returns true if a swap counts. Swaps without ETH, at the limits of the price, or by the pool’s own hook do
 * not count.
 */
export function doesCount({ ethWei, tick, sender }: Counted, { hooks }: OraclePool, rules: Counting): boolean {
  const isWithinLimits = rules.limitPricesCount || (tick > tickLowest && tick < tickHighest)
  return ethWei !== 0n && isWithinLimits && (rules.ownHookCounts || sender !== hooks)
}

/**
 * Reads a swap. Returns null if the log is not a swap, or if the swap does not count. The amounts in a v4 log
 * are those of the trader, and the amounts in a v3 log are those of the pool.
 */
function readSwap(log: RawLog, pool: OraclePool, rules: Counting): OracleSwap | null {
  const isV4 = log.topics[0] === topics.v4Swap
  if (!isV4 && log.topics[0] !== topics.v3Swap) return null
  const amount = signed(word(log, pool.ethIsToken0 ? 0 : 1))
  const ethWei = isV4 ? -amount : amount
  const tick = Number(signed(word(log, 4)))
  const sender = addressIn(log.topics[isV4 ? 2 : 1])
  if (!doesCount({ ethWei, tick, sender }, pool, rules)) return null
  return { ...place(log, pool), ethWei, ...priceOf(unsigned(word(log, 2)), pool), tx: log.transactionHash }
}

function readLiquidity(log: RawLog, pool: OraclePool): Omit<OracleLiquidity, 'sender'> | null {
  const at = { ...place(log, pool), tx: log.transactionHash }
  const ticks = (lower: string, upper: string) => ({ lower: Number(signed(lower)), upper: Number(signed(upper)) })
  const inV3 = () => ({ ...ticks(topic(log, 2), topic(log, 3)), owner: addressIn(log.topics[1]), salt: null })
  switch (log.topics[0]) {
    case topics.v4ModifyLiquidity: {
      const inV4 = { ...ticks(word(log, 0), word(log, 1)), owner: addressIn(log.topics[2]), salt: `0x${word(log, 3)}` }
      return { ...at, ...inV4, delta: signed(word(log, 2)) }
    }
    case topics.v3Mint:
      return { ...at, ...inV3(), delta: unsigned(word(log, 1)) }
    case topics.v3Burn:
      return { ...at, ...inV3(), delta: -unsigned(word(log, 0)) }
    default:
      return null
  }
}

function readFirstPrice(log: RawLog, pool: OraclePool): OraclePrice | null {
  if (log.topics[0] === topics.v4Initialize) return { ...place(log, pool), ...priceOf(unsigned(word(log, 3)), pool) }
  if (log.topics[0] === topics.v3Initialize) return { ...place(log, pool), ...priceOf(unsigned(word(log, 0)), pool) }
  return null
}
