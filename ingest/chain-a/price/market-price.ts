/**
 * Reads token prices from our own node. The service uses these prices for pools and curves that it no longer
 * tracks. A price is in ETH per raw token unit.
 */
import { OperationError } from '../../../infra/errors.ts'
import { curveMarketCapEth } from '../../../schemas/chain-a/curve.ts'
import { priceFromSqrt, priceTickMax, priceTickMin } from '../../../schemas/chain-a/pool-price.ts'
import type { Hex } from '../../../schemas/units.ts'
import { type FoundPrice, type MarketReader, noPrice, type PriceQuestion } from '../../prices/price-source.ts'
import { launchpadsOf } from '../launchpads/configured.ts'
import type { ContractCall, Launchpad } from '../launchpads/launchpad.ts'
import { callContract } from '../node/call-contract.ts'
import type { Node } from '../node/node.ts'
import type { ChainAContracts } from '../presets.ts'
import { type PoolState, readCurrencies, readV3State, readV4State } from './pool-state.ts'

const nativeEth = '0x0000000000000000000000000000000000000000'

/** The length of a v4 pool id as text: 0x and 64 hex digits. */
const poolIdLength = 66

export function createMarketReader({
  node,
  contracts,
}: Readonly<{ node: Node; contracts: ChainAContracts }>): MarketReader {
  const launchpads = launchpadsOf(contracts)
  return async (question, signal) => {
    const call: ContractCall = (to, data) => callContract(node, { to, data, block: 'latest' }, signal)
    const market = question.market.toLowerCase() as Hex
    if (market.length === poolIdLength) return await v4Price(call, contracts, { ...question, market })
    const state = await readV3State(call, market)
    if (state !== null) return poolPrice(state, isBelow(contracts.weth, question.token))
    return await curvePrice(call, launchpads, { ...question, market })
  }
}

/**
 * A token and the contract or pool that trades it: a v4 pool, a v3 pool or a curve. A v4 pool has a longer id
 * than the others. The answers of the contracts show whether an address is a v3 pool or a curve.
 */
type MarketQuestion = Pick<PriceQuestion, 'token'> & Readonly<{ market: Hex }>

async function v4Price(call: ContractCall, contracts: ChainAContracts, question: MarketQuestion): Promise<FoundPrice> {
  const { poolManager, positionManager, weth } = contracts
  const { market, token } = question
  const state = await readV4State(call, poolManager, market)
  if (state === null) throw unanswered('the pool manager did not answer')
  // The pool trades against WETH or against native ETH, whose address is 0. If the token's address is above
  // WETH, it is above both addresses. Then ETH is currency 0.
  if (isBelow(weth, token)) return poolPrice(state, true)
  const currencies = await readCurrencies(call, positionManager, market)
  if (currencies === null) throw unanswered('the position manager did not say on which side of the pool the token is')
  return poolPrice(state, currencies.currency0 === nativeEth)
}

function poolPrice({ sqrtPriceX96, priceTick, liquidity }: PoolState, ethIsCurrency0: boolean): FoundPrice {
  if (sqrtPriceX96 === 0n) throw noPrice('there is no such pool')
  // Nothing can be traded in a pool without liquidity, so its last price has no meaning.
  if (liquidity === 0n) throw noPrice('the pool has no liquidity')
  if (priceTick <= priceTickMin || priceTick >= priceTickMax - 1)
    throw noPrice('the price is at the limit of the price range')
  return { px: priceFromSqrt(sqrtPriceX96, ethIsCurrency0), source: 'pool', mcapUsd: null, change1h: null }
}

async function curvePrice(
  call: ContractCall,
  launchpads: readonly Launchpad[],
  { market, token }: MarketQuestion,
): Promise<FoundPrice> {
  for (const launchpad of launchpads) {
    const identity = await launchpad.identify(call, market)
    if (identity?.token !== token.toLowerCase()) continue
    const reserveWei = await launchpad.readReserveWei(call, market)
    // This error is not `noPrice`. A complete curve moves into a pool, and that pool may have a price.
    if (reserveWei === null) throw unanswered('the curve is complete and has no price')
    const { phantomWei, supplyRaw } = identity
    const px = curveMarketCapEth({ phantomWei, reserveWei }) / Number(supplyRaw)
    return { px, source: 'curve', mcapUsd: null, change1h: null }
  }
  throw noPrice('the market is neither a pool nor a curve')
}

/** Creates the error for a price that could not be determined, although the token may have a price. */
const unanswered = (message: string): OperationError => new OperationError('node_inconsistent', message)

const isBelow = (one: string, other: string): boolean => BigInt(one) < BigInt(other)
