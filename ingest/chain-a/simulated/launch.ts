/** A launch as it stands: its pool, who holds its token, whose liquidity it is. Everything here is changed in place. */
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../schemas/units.ts'
import type { World } from './identities.ts'
import type { LaunchPlan } from './plan.ts'
import { createPool, type Pool } from './pool.ts'
import { createRandom, type Random } from './random.ts'
import { creatorWallet } from './schedule.ts'

/** A fact before the market has given it its place on the chain. */
export type Draft = DraftOf<ChainAFact>
type DraftOf<Fact> = Fact extends { type: infer Type; data: infer Data }
  ? { type: Type; data: Omit<Data, Place> }
  : never
type Place = 'blockNumber' | 'blockAtMs' | 'txIndex' | 'logIndex' | 'blockHash' | 'txHash'

/** `wallet` added it, or had it added. `nftOwner` null: no NFT, on v3 or held by a contract in its own name. */
export type Position = Readonly<{
  lower: number
  upper: number
  liquidity: bigint
  wallet: number
  salt: Hex | null
  nftOwner: Hex | null
}>

export type Launch = Readonly<{
  plan: LaunchPlan
  world: World
  random: Random
  pool: Pool
  creator: number
  /** Who holds what was bought and not sold, oldest first where nobody left. */
  holders: { wallet: number; tokens: bigint }[]
  positions: Position[]
}>

/** Total supply in raw units: a billion tokens of 18 decimals. */
const supplyRaw = 1e27

/** A curve graduates at 20.58 ETH for the whole supply: 4.2 ETH beside 10/49 of it. */
const graduatedValueEth = (4.2 * 49) / 10

export function openLaunch(plan: LaunchPlan, world: World): Launch {
  const random = createRandom(world.seed, plan.id, 4)
  const drawnEth = Math.min(15, Math.max(1.5, random.logNormal(3.5, 0.5)))
  const valueEth = plan.kind === 'graduated' ? graduatedValueEth : drawnEth
  const tokensPerWei = supplyRaw / (valueEth * 1e18)
  const root = Math.sqrt(plan.ethIsCurrency0 ? tokensPerWei : 1 / tokensPerWei)
  const sqrtPriceX96 = BigInt(Math.floor(root * 2 ** 48)) << 48n
  const precise = root < 1 ? BigInt(Math.floor(root * 2 ** 96)) : sqrtPriceX96
  return {
    plan,
    world,
    random,
    pool: createPool(precise, plan.feePips),
    creator: creatorWallet(random),
    holders: [],
    positions: [],
  }
}

/** Whole gwei. */
export const weiOf = (eth: number): bigint => BigInt(Math.round(eth * 1e9)) * 1_000_000_000n
