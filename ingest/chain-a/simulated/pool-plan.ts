/** Plans the pool that a launch opens: its exchange, its fee, and whether the token is currency 0 or 1. */
import type { Address, Hex, PoolId } from '../../../schemas/units.ts'
import type { Random } from '../../simulated/random.ts'
import { addressOf, nativeEth, tokenAddress, v4PoolId, weth } from './identities.ts'

export type PoolPlan = Readonly<{
  token: Address
  pool: PoolId
  dex: 'v4' | 'v3'
  eth: Address
  ethIsCurrency0: boolean
  /**
   * The fee field of the pool's key. In a pool with a dynamic fee, swaps pay `feePips` instead, in hundredths
   * of a basis point.
   */
  fee: number
  feePips: number
  tickSpacing: number
  hooks: Address | null
}>

type PoolKind = Readonly<{ fee: number; feePips: number; tickSpacing: number }>

const v3Kinds = [
  { fee: 10_000, feePips: 10_000, tickSpacing: 200 },
  { fee: 3000, feePips: 3000, tickSpacing: 60 },
] as const
const v4Kinds = [
  { fee: 10_000, feePips: 10_000, tickSpacing: 200 },
  { fee: 2500, feePips: 2500, tickSpacing: 25 },
  { fee: 3000, feePips: 3000, tickSpacing: 60 },
] as const
/** A pool with a dynamic fee. The hook contract sets the fee, so `fee` in the pool's key is only a marker. */
const hookedKind = { fee: 0x80_00_00, feePips: 12_000, tickSpacing: 200 } as const
/**
 * The fee and tick spacing of a token's second pool. No first pool has these values, so the two pools of a
 * token have different keys.
 */
const secondKind = { fee: 5000, feePips: 5000, tickSpacing: 100 } as const

export function planPool(seed: number, id: number, random: Random): PoolPlan {
  const dex = random.chance(0.12) ? 'v3' : 'v4'
  const eth = dex === 'v3' || random.chance(0.1) ? weth : nativeEth
  const raw = addressOf(seed, `token:${id}`)
  // Some deployers search for a low token address. The lower of the two addresses is currency 0, so WETH
  // becomes currency 1.
  const token = tokenAddress(random.chance(0.5) ? (`0x0${random.whole(1, 9)}${raw.slice(4)}` as const) : raw, id)
  const hooks = dex === 'v4' && random.chance(0.1) ? addressOf(seed, 'hook') : null
  const kind = hooks !== null ? hookedKind : random.pick<PoolKind>(dex === 'v3' ? v3Kinds : v4Kinds)
  const key = { token, eth, fee: kind.fee, tickSpacing: kind.tickSpacing, hooks: hooks ?? nativeEth }
  const pool: Hex = dex === 'v4' ? v4PoolId(key) : addressOf(seed, `pool:${id}`)
  return {
    ...kind,
    token,
    dex,
    eth,
    ethIsCurrency0: eth < token,
    hooks,
    pool,
  }
}

/**
 * Plans the second pool of a token. The pool is on v4 and trades against the same kind of ETH as the first
 * pool.
 */
export function secondPoolOf({ token, eth, ethIsCurrency0 }: PoolPlan): PoolPlan {
  const { fee, tickSpacing } = secondKind
  const pool = v4PoolId({ token, eth, fee, tickSpacing, hooks: nativeEth })
  return { ...secondKind, token, eth, ethIsCurrency0, dex: 'v4', hooks: null, pool }
}
