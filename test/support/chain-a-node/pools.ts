/** Builds the transactions that open pools on the local chain and change their liquidity. */
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { creationCode } from './artifacts.ts'
import type { ChainAContracts } from './deployment.ts'
import { type NodeTransaction, walletOf } from './node.ts'

export const noAddress: Address = '0x0000000000000000000000000000000000000000'

type PoolKey = Readonly<{
  currency0: Address
  currency1: Address
  fee: number
  tickSpacing: number
  hooks: Address
}>

/** A pool on the local chain. `id` is the v4 pool id or the v3 pool address, in lower case. */
export type NodePool = Readonly<{ dex: 'v4' | 'v3'; id: Hex; token: Address; quote: Address; key: PoolKey }>

export type PoolPlan = Readonly<{ pool: NodePool; transactions: readonly NodeTransaction[] }>

export type PoolOptions = Readonly<{
  dex: 'v4' | 'v3'
  token: Address
  /** The currency against which the token trades. The zero address means ETH. */
  quote: Address
  fee?: number
  tickSpacing?: number
  hooks?: Address
  /** The initial price of the quote, as a tick. By default, 1 ETH buys about 485 million tokens. */
  tokensPerQuoteTick?: number
  provider: Address
  /** With 0, the pool has no liquidity. */
  liquidityEth: number
  /** The range in ticks around the initial tick. If absent, it is the whole range. */
  rangeTicks?: number
  /** The distance in ticks between the initial tick and the middle of the range. */
  offsetTicks?: number
}>

const erc20 = parseAbi([
  'function mint(address to, uint256 amount)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function deposit() payable',
])
const permit2 = parseAbi(['function approve(address token, address spender, uint160 amount, uint48 expiration)'])
const positionManager = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function initializePool(PoolKey key, uint160 sqrtPriceX96) payable returns (int24)',
  'function modifyLiquidities(bytes unlockData, uint256 deadline) payable',
])
const v3PositionManager = parseAbi([
  'struct MintParams { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }',
  'function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address pool)',
  'function mint(MintParams params) payable returns (uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
])

const never = 2n ** 48n - 1n
const plenty = 2n ** 128n
const uint128Max = 2n ** 128n - 1n
const isBelow = (one: Address, other: Address) => BigInt(one) < BigInt(other)
export const weiOf = (eth: number): bigint => BigInt(Math.round(eth * 1e9)) * 10n ** 9n

export const approval = (from: Address, token: Address, spender: Address): NodeTransaction => ({
  from,
  to: token,
  data: encodeFunctionData({ abi: erc20, functionName: 'approve', args: [spender, plenty] }),
})

/** Mints tokens to a wallet. Any wallet can mint the test token. */
export const tokenMint = (to: Address, token: Address): NodeTransaction => ({
  from: to,
  to: token,
  data: encodeFunctionData({ abi: erc20, functionName: 'mint', args: [to, 10n ** 38n] }),
})

export const wethDeposit = (from: Address, weth: Address, eth: number): NodeTransaction => ({
  from,
  to: weth,
  data: encodeFunctionData({ abi: erc20, functionName: 'deposit' }),
  valueWei: weiOf(eth),
})

/** Plans a token whose address sorts before or after another one, to be first or second in a pool. */
export function tokenPlan(name: string, order: Readonly<{ below?: Address; above?: Address }> = {}) {
  for (let attempt = 0; ; attempt++) {
    const from = walletOf(`token ${name} ${attempt}`)
    const token = getContractAddress({ from, nonce: 0n })
    const fits =
      (order.below === undefined || isBelow(token, order.below)) &&
      (order.above === undefined || isBelow(order.above, token))
    if (!fits) continue
    const transaction: NodeTransaction = { from, to: null, data: creationCode('TestERC20', [0n]), gas: 2_000_000n }
    return { token, transaction }
  }
}

/** Returns the initial tick in token1 per token0. The tick is negative if the quote is token1. */
const initialTick = (options: PoolOptions): number =>
  (options.tokensPerQuoteTick ?? 200_000) * (isBelow(options.quote, options.token) ? 1 : -1)

const sqrtPriceX96 = (tick: number): bigint => BigInt(Math.floor(1.0001 ** (tick / 2) * 2 ** 48)) * 2n ** 48n

/** Returns a pool, and the transactions that open and fill it in one block, in this order. */
export function planPool(contracts: ChainAContracts, options: PoolOptions): PoolPlan {
  const [currency0, currency1] = isBelow(options.quote, options.token)
    ? [options.quote, options.token]
    : [options.token, options.quote]
  const fee = options.fee ?? 3000
  const key = { currency0, currency1, fee, tickSpacing: options.tickSpacing ?? 60, hooks: options.hooks ?? noAddress }
  return options.dex === 'v4' ? planV4(contracts, options, key) : planV3(contracts, options, key)
}

function planV4(contracts: ChainAContracts, options: PoolOptions, key: PoolKey): PoolPlan {
  const encodedKey = encodeAbiParameters(parseAbiParameters('address, address, uint24, int24, address'), [
    key.currency0,
    key.currency1,
    key.fee,
    key.tickSpacing,
    key.hooks,
  ])
  const pool: NodePool = { dex: 'v4', id: keccak256(encodedKey), token: options.token, quote: options.quote, key }
  const initialise: NodeTransaction = {
    from: options.provider,
    to: contracts.positionManager,
    data: encodeFunctionData({
      abi: positionManager,
      functionName: 'initializePool',
      args: [key, sqrtPriceX96(initialTick(options))],
    }),
  }
  return { pool, transactions: [initialise, ...v4Liquidity(contracts, pool, options)] }
}

/** Adds liquidity in a position NFT of the provider. By default, the position has the whole range. */
export function v4Liquidity(
  contracts: ChainAContracts,
  pool: NodePool,
  options: PoolOptions,
): readonly NodeTransaction[] {
  if (options.liquidityEth === 0) return []
  const { provider } = options
  const [lower, upper] = ticksOf(options, pool.key)
  const funding = [pool.key.currency0, pool.key.currency1]
    .filter((currency) => currency !== noAddress)
    .flatMap((currency) => [
      fund(contracts, currency, options),
      approval(provider, currency, contracts.permit2),
      permission(contracts, provider, currency),
    ])
  const mint = encodeAbiParameters(
    parseAbiParameters(
      '(address,address,uint24,int24,address), int24, int24, uint256, uint128, uint128, address, bytes',
    ),
    [keyTuple(pool.key), lower, upper, liquidityOf(options), uint128Max, uint128Max, provider, '0x'],
  )
  const settle = encodeAbiParameters(parseAbiParameters('address, address'), [pool.key.currency0, pool.key.currency1])
  const sweep = encodeAbiParameters(parseAbiParameters('address, address'), [noAddress, provider])
  const add = modifyLiquidities(contracts, provider, ['0x020d14', [mint, settle, sweep]])
  const isNative = pool.key.currency0 === noAddress
  return [...funding, { ...add, valueWei: isNative ? weiOf(options.liquidityEth * 2) : 0n }]
}

export function v4Removal(
  contracts: ChainAContracts,
  pool: NodePool,
  position: Readonly<{ owner: Address; tokenId: bigint; liquidity: bigint }>,
): NodeTransaction {
  const decrease = encodeAbiParameters(parseAbiParameters('uint256, uint256, uint128, uint128, bytes'), [
    position.tokenId,
    position.liquidity,
    0n,
    0n,
    '0x',
  ])
  const take = encodeAbiParameters(parseAbiParameters('address, address, address'), [
    pool.key.currency0,
    pool.key.currency1,
    position.owner,
  ])
  return modifyLiquidities(contracts, position.owner, ['0x0111', [decrease, take]])
}

/** Returns the liquidity of a whole-range position that holds `liquidityEth` of ETH. */
export const liquidityOf = (options: Pick<PoolOptions, 'liquidityEth' | 'tokensPerQuoteTick'>): bigint =>
  weiOf(options.liquidityEth * 1.0001 ** ((options.tokensPerQuoteTick ?? 200_000) / 2))

function ticksOf(options: PoolOptions, key: PoolKey): readonly [number, number] {
  const { tickSpacing } = key
  const widest = Math.floor(887_272 / tickSpacing) * tickSpacing
  if (options.rangeTicks === undefined) return [-widest, widest]
  const middle = Math.round((initialTick(options) + (options.offsetTicks ?? 0)) / tickSpacing) * tickSpacing
  const half = Math.round(options.rangeTicks / tickSpacing) * tickSpacing
  return [middle - half, middle + half]
}

const keyTuple = (key: PoolKey) => [key.currency0, key.currency1, key.fee, key.tickSpacing, key.hooks] as const

function modifyLiquidities(
  contracts: ChainAContracts,
  from: Address,
  [actions, parameters]: readonly [Hex, readonly Hex[]],
): NodeTransaction {
  const unlockData = encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), [actions, parameters])
  return {
    from,
    to: contracts.positionManager,
    data: encodeFunctionData({ abi: positionManager, functionName: 'modifyLiquidities', args: [unlockData, never] }),
  }
}

const fund = (contracts: ChainAContracts, currency: Address, options: PoolOptions): NodeTransaction =>
  currency === contracts.weth
    ? wethDeposit(options.provider, currency, options.liquidityEth * 2)
    : tokenMint(options.provider, currency)

const permission = (contracts: ChainAContracts, from: Address, token: Address): NodeTransaction => ({
  from,
  to: contracts.permit2,
  data: encodeFunctionData({
    abi: permit2,
    functionName: 'approve',
    args: [token, contracts.positionManager, 2n ** 160n - 1n, Number(never)],
  }),
})

function planV3(contracts: ChainAContracts, options: PoolOptions, key: PoolKey): PoolPlan {
  const id = v3PoolAddress(contracts, key)
  const pool: NodePool = { dex: 'v3', id, token: options.token, quote: options.quote, key }
  const create: NodeTransaction = {
    from: options.provider,
    to: contracts.v3PositionManager,
    gas: 8_000_000n,
    data: encodeFunctionData({
      abi: v3PositionManager,
      functionName: 'createAndInitializePoolIfNecessary',
      args: [key.currency0, key.currency1, key.fee, sqrtPriceX96(initialTick(options))],
    }),
  }
  return { pool, transactions: [create, ...v3Liquidity(contracts, pool, options)] }
}

function v3PoolAddress(contracts: ChainAContracts, key: PoolKey): Hex {
  const salt = keccak256(
    encodeAbiParameters(parseAbiParameters('address, address, uint24'), [key.currency0, key.currency1, key.fee]),
  )
  const address = getContractAddress({
    opcode: 'CREATE2',
    from: contracts.v3Factory,
    salt,
    bytecode: creationCode('UniswapV3Pool'),
  })
  return address.toLowerCase() as Hex
}

function v3Liquidity(contracts: ChainAContracts, pool: NodePool, options: PoolOptions): readonly NodeTransaction[] {
  if (options.liquidityEth === 0) return []
  const { provider } = options
  const { currency0, currency1, fee } = pool.key
  const [tickLower, tickUpper] = ticksOf(options, pool.key)
  const quoteWei = weiOf(options.liquidityEth)
  const amountOf = (currency: Address) => (currency === pool.quote ? quoteWei : 10n ** 37n)
  const mint = encodeFunctionData({
    abi: v3PositionManager,
    functionName: 'mint',
    args: [
      {
        token0: currency0,
        token1: currency1,
        fee,
        tickLower,
        tickUpper,
        amount0Desired: amountOf(currency0),
        amount1Desired: amountOf(currency1),
        amount0Min: 0n,
        amount1Min: 0n,
        recipient: provider,
        deadline: never,
      },
    ],
  })
  const funding = [currency0, currency1].flatMap((currency) => [
    fund(contracts, currency, options),
    approval(provider, currency, contracts.v3PositionManager),
  ])
  return [...funding, { from: provider, to: contracts.v3PositionManager, gas: 2_000_000n, data: mint }]
}
