/** Adds and removes the liquidity of a launch's pool, and mints and transfers the position NFTs. */

import type { Address } from '../../../schemas/units.ts'
import type { LiquidityChange } from '../../simulated/market/liquidity-plan.ts'
import { deadAddress, launchpadLockerOf, liquidityContractOf, lockerOf, nobody } from './custody.ts'
import { positionIdOf, positionManagers } from './identities.ts'
import { type Draft, type Launch, type LiquidityPosition, weiOf } from './launch.ts'
import { changeLiquidity } from './pool.ts'
import type { Trade } from './trades.ts'

type Range = Readonly<{ lower: number; upper: number }>

/**
 * Adds the first liquidity of a launch. In half of the launches, the liquidity covers all prices. In the
 * other half, nearly all of it covers only prices above the opening price of the token.
 */
export function firstLiquidity(launch: Launch): readonly Draft[] {
  const { plan, pool, random } = launch
  const spacing = plan.tickSpacing
  const whole = wholeRange(spacing)
  if (plan.kind === 'graduated') return addFirst(launch, whole, liquidityFor(launch, 4.2))
  const liquidity = liquidityFor(launch, Math.min(12, Math.max(1.2, random.logNormal(3, 0.5))))
  if (random.chance(0.5)) return addFirst(launch, whole, liquidity)
  const start = Math.floor(pool.priceTick / spacing) * spacing
  const reach = Math.ceil(69_000 / spacing) * spacing
  const upwards = plan.ethIsCurrency0
    ? { lower: start - reach, upper: start }
    : { lower: start + spacing, upper: start + spacing + reach }
  return [...addFirst(launch, upwards, liquidity), ...addFirst(launch, whole, liquidity / 50n)]
}

/**
 * Returns the amount of liquidity that holds `eth` ETH at the current price, if the position covers all
 * prices.
 */
function liquidityFor(launch: Launch, eth: number): bigint {
  const { sqrtPriceX96 } = launch.pool
  const wei = weiOf(eth)
  return launch.plan.ethIsCurrency0 ? (wei * sqrtPriceX96) >> 96n : (wei << 96n) / sqrtPriceX96
}

/**
 * Adds the first liquidity as one position. If several owners share the liquidity (custody `split` on v4),
 * adds one position per owner.
 */
function addFirst(launch: Launch, range: Range, liquidity: bigint): readonly Draft[] {
  const { plan, creator, identities } = launch
  const { kind } = plan.custody
  const owner = kind === 'launchpad' ? launchpadLockerOf(identities.seed) : identities.walletAt(creator)
  const holding = plan.dex === 'v4' && kind !== 'contract' ? { nftOwner: owner } : { nftOwner: null }
  if (plan.dex === 'v3' || kind !== 'split') {
    const added = addPosition(launch, range, { liquidity, wallet: creator, ...holding })
    return kind === 'unseen' ? added.filter(({ type }) => type !== 'PositionTransferred') : added
  }
  const parts = plan.custody.parts.map((percent) => (liquidity * BigInt(percent)) / 100n)
  const rest = liquidity - parts.reduce((sum, part) => sum + part, 0n)
  return parts.flatMap((part, index) => {
    const partial = index === 0 ? part + rest : part
    return addPosition(launch, range, { liquidity: partial, wallet: creator, ...holding })
  })
}

type Holding = Readonly<{ liquidity: bigint; wallet: number; nftOwner: Address | null }>

/**
 * The maximum number of positions that one pool can have. The positions of a token's second pool are numbered
 * from here on.
 */
const positionsMost = 32

/** Adds a position. Its NFT is transferred to the owner before the liquidity changes, as on the chain. */
function addPosition(launch: Launch, range: Range, holding: Holding): readonly Draft[] {
  const { plan, positions } = launch
  const number = positions.length + (plan.kind === 'second' ? positionsMost : 0)
  const salt = plan.dex === 'v4' ? positionIdOf(plan.id, number) : null
  const position = { salt, ...range, ...holding }
  launch.positions.push(position)
  const change = liquidityDraft(launch, position, holding.liquidity)
  return [...(holding.nftOwner ? [transferDraft(launch, position, [nobody, holding.nftOwner])] : []), change]
}

function liquidityDraft(launch: Launch, position: LiquidityPosition, liquidityDelta: bigint): Draft {
  const { plan, pool, identities } = launch
  const { salt } = position
  if (liquidityDelta !== 0n) changeLiquidity(pool, position, liquidityDelta)
  const isOfContract = plan.dex === 'v4' && position.nftOwner === null
  return {
    type: 'LiquidityChanged',
    data: {
      pool: plan.pool,
      tickLower: position.lower,
      tickUpper: position.upper,
      liquidityDelta,
      owner: isOfContract ? liquidityContractOf(identities.seed) : positionManagers[plan.dex],
      salt,
      // If this adds liquidity to a v4 pool, `createPlacer` in `market.ts` sets the sender later.
      txSender: null,
      positionId: isOfContract ? null : salt,
    },
  }
}

function transferDraft({ plan }: Launch, { salt }: LiquidityPosition, [from, to]: readonly [Address, Address]): Draft {
  return { type: 'PositionTransferred', data: { pool: plan.pool, positionId: salt ?? '0x', from, to } }
}

/** Transfers the creator's position NFTs to the owners that `plan.custody` requires. */
export function handOver(launch: Launch): Trade {
  const { creator } = launch
  const drafts: Draft[] = []
  for (const [index, position] of launch.positions.entries()) {
    const to = heirOf(launch, index)
    if (position.wallet !== creator || position.nftOwner === null || to === null) continue
    launch.positions[index] = { ...position, nftOwner: to }
    drafts.push(transferDraft(launch, position, [position.nftOwner, to]))
  }
  return { wallet: creator, drafts }
}

function heirOf({ plan, identities }: Launch, index: number): Address | null {
  switch (plan.custody.kind) {
    case 'dead':
      return deadAddress
    case 'locker':
      return lockerOf(identities.seed)
    case 'split': {
      const part = index % plan.custody.parts.length
      return part === 0 ? null : identities.walletAt(50_000 + plan.id * 2 + part)
    }
    default:
      return null
  }
}

/** Executes a planned change of the creator's liquidity, in one transaction. */
export function executeChange(launch: Launch, change: LiquidityChange): Trade {
  return { wallet: launch.creator, drafts: draftsOf(launch, change) }
}

function draftsOf(launch: Launch, change: LiquidityChange): readonly Draft[] {
  switch (change.does) {
    case 'remove':
      return remove(launch, change.share)
    case 'add':
      return addWide(launch, (launch.firstLiquidity * thousandths(change.share)) / 1000n)
    case 'refill':
      return addWide(launch, liquidityFor(launch, change.coin))
    case 'rebalance':
      return rebalance(launch, change.share)
  }
}

/**
 * Removes all positions of the creator, then adds positions in the same ranges with `share` times the
 * liquidity.
 */
function rebalance(launch: Launch, share: number): readonly Draft[] {
  const own = launch.positions.filter(({ wallet, liquidity }) => wallet === launch.creator && liquidity > 0n)
  const removed = remove(launch, 1)
  const added = own.flatMap(({ lower, upper, liquidity, wallet, nftOwner }) => {
    const scaled = (liquidity * thousandths(share)) / 1000n
    return addPosition(launch, { lower, upper }, { liquidity: scaled, wallet, nftOwner })
  })
  return [...removed, ...added]
}

const thousandths = (share: number): bigint => BigInt(Math.round(share * 1000))

function remove(launch: Launch, share: number): readonly Draft[] {
  const kept = 1000n - thousandths(share)
  const drafts: Draft[] = []
  for (const [index, position] of launch.positions.entries()) {
    if (position.wallet !== launch.creator || position.liquidity === 0n) continue
    const left = (position.liquidity * kept) / 1000n
    const { nftOwner } = position
    if (left === 0n && launch.plan.custody.burnsOnPull && nftOwner)
      drafts.push(transferDraft(launch, position, [nftOwner, nobody]))
    drafts.push(liquidityDraft(launch, position, left - position.liquidity))
    launch.positions[index] = { ...position, liquidity: left }
  }
  return drafts
}

/**
 * Adds a position that covers all prices. If the computed liquidity is 0, the position gets 1. So the number
 * of positions never depends on earlier trades.
 */
function addWide(launch: Launch, liquidity: bigint): readonly Draft[] {
  const { plan, creator, identities } = launch
  const nftOwner = plan.dex === 'v4' ? identities.walletAt(creator) : null
  const holding = { liquidity: liquidity > 0n ? liquidity : 1n, wallet: creator, nftOwner }
  return addPosition(launch, wholeRange(plan.tickSpacing), holding)
}

const wholeRange = (spacing: number): Range => {
  const edge = Math.floor(887272 / spacing) * spacing
  return { lower: -edge, upper: edge }
}

/**
 * Makes a wallet other than the creator add a twelfth of the pool's liquidity. Does nothing in an empty pool.
 */
export function addThirdParty(launch: Launch, wallet: number): Trade {
  const { pool, plan, identities } = launch
  const liquidity = pool.liquidity / 12n
  if (liquidity === 0n) return { wallet, drafts: [] }
  const nftOwner = plan.dex === 'v4' ? identities.walletAt(wallet) : null
  return { wallet, drafts: addPosition(launch, wholeRange(plan.tickSpacing), { liquidity, wallet, nftOwner }) }
}

/**
 * Collects the fees of the launch's first position. On the chain, a liquidity change of zero pays the fees to
 * the owner.
 */
export function collectFees(launch: Launch): Trade {
  const [first] = launch.positions
  return { wallet: launch.creator, drafts: first === undefined ? [] : [liquidityDraft(launch, first, 0n)] }
}
