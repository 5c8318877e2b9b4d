/** Liquidity put into a launch's pool and taken out of it. */
import { type Hex, positionManagers } from './identities.ts'
import { type Draft, type Launch, type Position, weiOf } from './launch.ts'
import { changeLiquidity } from './pool.ts'
import type { Trade } from './trades.ts'

/** Half of the launches spread their liquidity over the whole range, the others sell upwards from the first price. */
export function firstLiquidity(launch: Launch): readonly Draft[] {
  const { plan, pool, random } = launch
  const spacing = plan.tickSpacing
  const edge = Math.floor(887272 / spacing) * spacing
  const liquidity = liquidityFor(launch, Math.min(12, Math.max(1.2, random.logNormal(3, 0.5))))
  const whole = { lower: -edge, upper: edge }
  if (random.chance(0.5)) return [addPosition(launch, whole, { liquidity, wallet: launch.creator })]
  const start = Math.floor(pool.tick / spacing) * spacing
  const reach = Math.ceil(69_000 / spacing) * spacing
  const upwards = plan.ethIsCurrency0
    ? { lower: start - reach, upper: start }
    : { lower: start + spacing, upper: start + spacing + reach }
  return [
    addPosition(launch, upwards, { liquidity, wallet: launch.creator }),
    addPosition(launch, whole, { liquidity: liquidity / 50n, wallet: launch.creator }),
  ]
}

/** The liquidity that holds this much ETH over the whole range at the price of now. */
function liquidityFor(launch: Launch, eth: number): bigint {
  const { sqrtPriceX96 } = launch.pool
  const wei = weiOf(eth)
  return launch.plan.ethIsCurrency0 ? (wei * sqrtPriceX96) >> 96n : (wei << 96n) / sqrtPriceX96
}

function addPosition(
  launch: Launch,
  range: Readonly<{ lower: number; upper: number }>,
  share: Readonly<{ liquidity: bigint; wallet: number }>,
): Draft {
  const number = launch.plan.id * 8 + launch.positions.length
  const salt: Hex | null = launch.plan.dex === 'v4' ? `0x${number.toString(16).padStart(64, '0')}` : null
  const position = { ...range, ...share, salt }
  launch.positions.push(position)
  return liquidityDraft(launch, position, share.liquidity)
}

function liquidityDraft(launch: Launch, position: Position, liquidityDelta: bigint): Draft {
  const { plan, pool } = launch
  if (liquidityDelta !== 0n) changeLiquidity(pool, position, liquidityDelta)
  return {
    type: 'LiquidityChanged',
    data: {
      pool: plan.pool,
      tickLower: position.lower,
      tickUpper: position.upper,
      liquidityDelta,
      owner: positionManagers[plan.dex],
      salt: position.salt,
    },
  }
}

export function pullLiquidity(launch: Launch, share: number): Trade {
  const kept = BigInt(Math.round((1 - share) * 1000))
  const own = launch.positions.filter((position) => position.wallet === launch.creator)
  const drafts = own.map((position) =>
    liquidityDraft(launch, position, -(position.liquidity - (position.liquidity * kept) / 1000n)),
  )
  return { wallet: launch.creator, drafts }
}

/** A stranger joins with a small share of the depth, unless the pool is empty by then. */
export function addThirdParty(launch: Launch, wallet: number): Trade {
  const { pool, plan } = launch
  const edge = Math.floor(887272 / plan.tickSpacing) * plan.tickSpacing
  const liquidity = pool.liquidity / 12n
  if (liquidity === 0n) return { wallet, drafts: [] }
  return { wallet, drafts: [addPosition(launch, { lower: -edge, upper: edge }, { liquidity, wallet })] }
}

/** A change of nothing, by which the owner gets the fees that have come in. */
export function collectFees(launch: Launch): Trade {
  const [first] = launch.positions
  return { wallet: launch.creator, drafts: first === undefined ? [] : [liquidityDraft(launch, first, 0n)] }
}
