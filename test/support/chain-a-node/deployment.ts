/** Lists the contracts on the local chain, and builds the transactions that deploy them. */
import type { Address, Hex } from 'viem'
import { creationCode, permit2Code } from './artifacts.ts'

export type ChainAContracts = Readonly<{
  poolManager: Address
  positionManager: Address
  stateView: Address
  v3Factory: Address
  v3PositionManager: Address
  weth: Address
  /**
   * A contract that answers like a Chainlink aggregator. The price is always 3,000 USD, and its time is that
   * of the newest block.
   */
  ethUsdFeed: Address
  permit2: Address
  /** The routers that traders call. */
  v4Router: Address
  v3Router: Address
  /** A hook that takes 1.23 % of a swap's output after the pool has emitted its event. */
  feeHook: Address
  feeHookSource: Address
  /**
   * A hook that does not change swaps. The hook can make swaps itself, and then the sender of a swap is the
   * hook of the pool.
   */
  tradingHook: Address
}>

/**
 * Returns the addresses of all contracts. A contract's address depends on the deployer's nonce, so the
 * addresses are known before any block.
 */
export function contractsAt(addressOf: (nonce: number) => Address): ChainAContracts {
  return {
    poolManager: addressOf(0),
    weth: addressOf(1),
    positionManager: addressOf(2),
    stateView: addressOf(3),
    v4Router: addressOf(4),
    v3Factory: addressOf(5),
    v3PositionManager: addressOf(6),
    v3Router: addressOf(7),
    feeHookSource: addressOf(8),
    ethUsdFeed: '0x7777000000000000000000000000000000000001',
    permit2: '0x000000000022D473030F116dDEE9F6B43aC78BA3',
    // The low 14 bits of a hook's address say which calls the hook gets. 0x44: after each swap, where the
    // hook may change the amounts. 0x10: after donations.
    feeHook: '0x4444000000000000000000000000000000000044',
    tradingHook: '0x4444000000000000000000000000000000000010',
  }
}

const none: Address = '0x0000000000000000000000000000000000000000'

export type Deployment = Readonly<{
  creations: readonly Hex[]
  code: readonly (readonly [Address, Hex])[]
  /**
   * Pairs of a new address and a deployed contract. The runtime code of the contract, with its immutables, is
   * copied to the new address. No deployment can create a contract at that address.
   */
  copies: readonly (readonly [Address, Address])[]
}>

/**
 * Builds the code of the price feed. The contract returns the same five words for every call: round 1, the
 * price with 8 decimals, the time of the block twice, and round 1.
 */
function feedCode(usd: number): Hex {
  const price = (BigInt(usd) * 10n ** 8n).toString(16).padStart(16, '0')
  return `0x600160005267${price}6020524260405242606052600160805260a06000f3`
}

/** Returns the deployment. The creations are in the order of their nonces. */
export function deployment(contracts: ChainAContracts, owner: Address): Deployment {
  const { poolManager, weth, v3Factory, permit2 } = contracts
  return {
    code: [
      [permit2, permit2Code()],
      [contracts.ethUsdFeed, feedCode(3000)],
    ],
    creations: [
      creationCode('PoolManager', [owner]),
      creationCode('WETH'),
      creationCode('PositionManager', [poolManager, permit2, 300_000n, none, weth]),
      creationCode('StateView', [poolManager]),
      creationCode('PoolSwapTest', [poolManager]),
      creationCode('UniswapV3Factory'),
      creationCode('NonfungiblePositionManager', [v3Factory, weth, none]),
      creationCode('SwapRouter', [v3Factory, weth]),
      creationCode('FeeTakingHook', [poolManager]),
    ],
    copies: [
      [contracts.feeHook, contracts.feeHookSource],
      [contracts.tradingHook, contracts.v4Router],
    ],
  }
}
