/**
 * Builds transactions that change positions. NFTs are transferred or burned, and contracts add liquidity
 * directly.
 */
import { type Address, encodeAbiParameters, encodeFunctionData, type Hex, parseAbi, parseAbiParameters } from 'viem'
import { creationCode } from './artifacts.ts'
import type { ChainAContracts } from './deployment.ts'
import type { NodeTransaction } from './node.ts'
import { approval, type NodePool, tokenMint, weiOf } from './pools.ts'

const positionManager = parseAbi([
  'function transferFrom(address from, address to, uint256 id)',
  'function modifyLiquidities(bytes unlockData, uint256 deadline) payable',
])
const liquidityRouter = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct Change { int24 tickLower; int24 tickUpper; int256 liquidityDelta; bytes32 salt; }',
  'function modifyLiquidity(PoolKey key, Change change, bytes hookData) payable',
])
const never = 2n ** 48n - 1n

export type Position = Readonly<{ owner: Address; tokenId: bigint }>

export const positionTransfer = (
  contracts: ChainAContracts,
  { owner, tokenId }: Position,
  to: Address,
): NodeTransaction => ({
  from: owner,
  to: contracts.positionManager,
  data: encodeFunctionData({ abi: positionManager, functionName: 'transferFrom', args: [owner, to, tokenId] }),
})

/** Burns the NFT and removes all of its liquidity. */
export function positionBurn(
  contracts: ChainAContracts,
  pool: NodePool,
  { owner, tokenId }: Position,
): NodeTransaction {
  const burn = encodeAbiParameters(parseAbiParameters('uint256, uint128, uint128, bytes'), [tokenId, 0n, 0n, '0x'])
  const { currency0, currency1 } = pool.key
  const take = encodeAbiParameters(parseAbiParameters('address, address, address'), [currency0, currency1, owner])
  const unlockData = encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), ['0x0311', [burn, take]])
  return {
    from: owner,
    to: contracts.positionManager,
    data: encodeFunctionData({ abi: positionManager, functionName: 'modifyLiquidities', args: [unlockData, never] }),
  }
}

/** Builds one transaction that removes most of a position and adds the liquidity to a new position. */
export function positionMoved(
  contracts: ChainAContracts,
  pool: NodePool,
  { owner, tokenId, from, to }: Position & Readonly<{ from: bigint; to: bigint }>,
): NodeTransaction {
  const { currency0, currency1, fee, tickSpacing, hooks } = pool.key
  const decrease = encodeAbiParameters(parseAbiParameters('uint256, uint256, uint128, uint128, bytes'), [
    ...([tokenId, from, 0n, 0n, '0x'] as const),
  ])
  const widest = Math.floor(887_272 / tickSpacing) * tickSpacing
  const most = 2n ** 128n - 1n
  const mint = encodeAbiParameters(
    parseAbiParameters(
      '(address,address,uint24,int24,address), int24, int24, uint256, uint128, uint128, address, bytes',
    ),
    [[currency0, currency1, fee, tickSpacing, hooks], -widest, widest, to, most, most, owner, '0x'],
  )
  const close = (currency: Address) => encodeAbiParameters(parseAbiParameters('address'), [currency])
  const steps = [decrease, mint, close(currency0), close(currency1)]
  const unlockData = encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), ['0x01021212', steps])
  return {
    from: owner,
    to: contracts.positionManager,
    data: encodeFunctionData({ abi: positionManager, functionName: 'modifyLiquidities', args: [unlockData, never] }),
  }
}

const v3PositionManager = parseAbi([
  'struct Decrease { uint256 tokenId; uint128 liquidity; uint256 amount0Min; uint256 amount1Min; uint256 deadline; }',
  'struct Collect { uint256 tokenId; address recipient; uint128 amount0Max; uint128 amount1Max; }',
  'function decreaseLiquidity(Decrease params) payable',
  'function collect(Collect params) payable',
])

export const v3Removal = (
  contracts: ChainAContracts,
  { owner, tokenId }: Position,
  liquidity: bigint,
): NodeTransaction => ({
  from: owner,
  to: contracts.v3PositionManager,
  data: encodeFunctionData({
    abi: v3PositionManager,
    functionName: 'decreaseLiquidity',
    args: [{ tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: never }],
  }),
})

/** Collects the fees of a v3 position. The pool logs a removal of zero. */
export const v3Poke = (contracts: ChainAContracts, { owner, tokenId }: Position): NodeTransaction => ({
  from: owner,
  to: contracts.v3PositionManager,
  data: encodeFunctionData({
    abi: v3PositionManager,
    functionName: 'collect',
    args: [{ tokenId, recipient: owner, amount0Max: 2n ** 128n - 1n, amount1Max: 2n ** 128n - 1n }],
  }),
})

/**
 * Creates a contract through which any caller can add liquidity. The contract is then the owner of the
 * liquidity.
 */
export const liquidityRouterCreation = (from: Address, contracts: ChainAContracts): NodeTransaction => ({
  from,
  to: null,
  data: creationCode('PoolModifyLiquidityTest', [contracts.poolManager]),
  gas: 4_000_000n,
})

/**
 * Adds whole-range liquidity to a pool that trades a token for ETH. The owner of the liquidity is the router.
 */
export function directAdd(
  pool: NodePool,
  { from, router, liquidity, salt }: Readonly<{ from: Address; router: Address; liquidity: bigint; salt: Hex }>,
): readonly NodeTransaction[] {
  const widest = Math.floor(887_272 / pool.key.tickSpacing) * pool.key.tickSpacing
  const change = { tickLower: -widest, tickUpper: widest, liquidityDelta: liquidity, salt }
  return [
    tokenMint(from, pool.token),
    approval(from, pool.token, router),
    {
      from,
      to: router,
      data: encodeFunctionData({
        abi: liquidityRouter,
        functionName: 'modifyLiquidity',
        args: [pool.key, change, '0x'],
      }),
      valueWei: weiOf(10),
    },
  ]
}
