/** Builds swaps on the local chain. The swaps go through Uniswap's test router for v4 and its router for v3. */
import { type Address, encodeFunctionData, encodePacked, type Hex, parseAbi } from 'viem'
import type { ChainAContracts } from './deployment.ts'
import type { NodeTransaction } from './node.ts'
import { approval, type NodePool, noAddress, tokenMint, wethDeposit } from './pools.ts'

const v4Router = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct SwapParams { bool zeroForOne; int256 amountSpecified; uint160 sqrtPriceLimitX96; }',
  'struct TestSettings { bool takeClaims; bool settleUsingBurn; }',
  'function swap(PoolKey key, SwapParams params, TestSettings testSettings, bytes hookData) payable returns (int256)',
])
const v3Router = parseAbi([
  'struct ExactInputSingleParams { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'struct ExactInputParams { bytes path; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; }',
  'function exactInputSingle(ExactInputSingleParams params) payable returns (uint256)',
  'function exactInput(ExactInputParams params) payable returns (uint256)',
  'function multicall(bytes[] data) payable returns (bytes[])',
])

const priceLowest = 4295128740n
const priceHighest = 1461446703485210103287273052203988822378723970341n
const never = 2n ** 48n
/** The gas limit is high, because a swap through an empty range reads every word of the bitmap. */
const swapGas = 3_000_000n

/**
 * A positive `quoteWei` pays exactly that amount in. A negative `quoteWei` sells until exactly that amount
 * comes out.
 */
export type Trade = Readonly<{ wallet: Address; quoteWei: bigint; mayFail?: boolean; router?: Address }>

export function trade(contracts: ChainAContracts, pool: NodePool, order: Trade): NodeTransaction {
  return pool.dex === 'v4' ? v4Trade(contracts, pool, order) : v3Trade(contracts, pool, order)
}

function v4Trade(contracts: ChainAContracts, pool: NodePool, order: Trade): NodeTransaction {
  const isBuy = order.quoteWei > 0n
  const zeroForOne = (pool.key.currency0 === pool.quote) === isBuy
  const amountSpecified = -order.quoteWei
  const sqrtPriceLimitX96 = zeroForOne ? priceLowest : priceHighest
  const data = encodeFunctionData({
    abi: v4Router,
    functionName: 'swap',
    args: [
      pool.key,
      { zeroForOne, amountSpecified, sqrtPriceLimitX96 },
      { takeClaims: false, settleUsingBurn: false },
      '0x',
    ],
  })
  const valueWei = isBuy && pool.quote === noAddress ? order.quoteWei : 0n
  return withFailure(order, {
    from: order.wallet,
    to: order.router ?? contracts.v4Router,
    data,
    valueWei,
    gas: swapGas,
  })
}

/**
 * Sells an amount of raw tokens on v4. This is possible even if the pool's hook takes a fee from the output.
 */
export function v4TokenSale(
  contracts: ChainAContracts,
  pool: NodePool,
  order: Readonly<{ wallet: Address; tokenRaw: bigint }>,
): NodeTransaction {
  const zeroForOne = pool.key.currency0 === pool.token
  const sqrtPriceLimitX96 = zeroForOne ? priceLowest : priceHighest
  const data = encodeFunctionData({
    abi: v4Router,
    functionName: 'swap',
    args: [
      pool.key,
      { zeroForOne, amountSpecified: -order.tokenRaw, sqrtPriceLimitX96 },
      { takeClaims: false, settleUsingBurn: false },
      '0x',
    ],
  })
  return { from: order.wallet, to: contracts.v4Router, data, gas: swapGas }
}

const v3SellAbi = parseAbi([
  'struct ExactOutputSingleParams { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountOut; uint256 amountInMaximum; uint160 sqrtPriceLimitX96; }',
  'function exactOutputSingle(ExactOutputSingleParams params) payable returns (uint256)',
])

function v3Trade(contracts: ChainAContracts, pool: NodePool, order: Trade): NodeTransaction {
  const isBuy = order.quoteWei > 0n
  const data = isBuy ? v3BuyData(pool, order) : v3SellData(pool, order)
  const valueWei = isBuy ? order.quoteWei : 0n
  return withFailure(order, { from: order.wallet, to: contracts.v3Router, data, valueWei, gas: swapGas })
}

const v3BuyData = (pool: NodePool, order: Trade): Hex =>
  encodeFunctionData({
    abi: v3Router,
    functionName: 'exactInputSingle',
    args: [
      {
        tokenIn: pool.quote,
        tokenOut: pool.token,
        fee: pool.key.fee,
        recipient: order.wallet,
        deadline: never,
        amountIn: order.quoteWei,
        amountOutMinimum: 0n,
        sqrtPriceLimitX96: 0n,
      },
    ],
  })

const v3SellData = (pool: NodePool, order: Trade): Hex =>
  encodeFunctionData({
    abi: v3SellAbi,
    functionName: 'exactOutputSingle',
    args: [
      {
        tokenIn: pool.token,
        tokenOut: pool.quote,
        fee: pool.key.fee,
        recipient: order.wallet,
        deadline: never,
        amountOut: -order.quoteWei,
        amountInMaximum: 10n ** 38n,
        sqrtPriceLimitX96: 0n,
      },
    ],
  })

/** Makes several v3 buys in one transaction of one sender. */
export function v3BuysInOne(
  contracts: ChainAContracts,
  pool: NodePool,
  order: Readonly<{ wallet: Address; quoteWei: readonly bigint[] }>,
): NodeTransaction {
  const calls = order.quoteWei.map((quoteWei) => v3BuyData(pool, { wallet: order.wallet, quoteWei }))
  const data = encodeFunctionData({ abi: v3Router, functionName: 'multicall', args: [calls] })
  const valueWei = order.quoteWei.reduce((sum, each) => sum + each, 0n)
  return { from: order.wallet, to: contracts.v3Router, data, valueWei, gas: swapGas }
}

/** Sells in one v3 pool and buys in another pool, in one transaction. The path goes through WETH. */
export function v3Rotation(
  contracts: ChainAContracts,
  pools: Readonly<{ from: NodePool; to: NodePool }>,
  order: Readonly<{ wallet: Address; tokenRaw: bigint }>,
): NodeTransaction {
  const path = encodePacked(
    ['address', 'uint24', 'address', 'uint24', 'address'],
    [pools.from.token, pools.from.key.fee, contracts.weth, pools.to.key.fee, pools.to.token],
  )
  const data = encodeFunctionData({
    abi: v3Router,
    functionName: 'exactInput',
    args: [{ path, recipient: order.wallet, deadline: never, amountIn: order.tokenRaw, amountOutMinimum: 0n }],
  })
  return { from: order.wallet, to: contracts.v3Router, data, gas: swapGas }
}

/**
 * Builds the transactions that a wallet needs before it can sell in the pool. A buy on v4 also needs them if
 * the quote is WETH.
 */
export function trader(contracts: ChainAContracts, pool: NodePool, wallet: Address): readonly NodeTransaction[] {
  const router = pool.dex === 'v4' ? contracts.v4Router : contracts.v3Router
  const token = [tokenMint(wallet, pool.token), approval(wallet, pool.token, router)]
  if (pool.dex === 'v3' || pool.quote === noAddress) return token
  const funding = pool.quote === contracts.weth ? wethDeposit(wallet, pool.quote, 100) : tokenMint(wallet, pool.quote)
  return [...token, funding, approval(wallet, pool.quote, router)]
}

function withFailure(order: Trade, transaction: NodeTransaction): NodeTransaction {
  return order.mayFail === true ? { ...transaction, mayFail: true } : transaction
}
