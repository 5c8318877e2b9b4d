/** The mutable state of a simulated launch: its pool, the token's holders and the liquidity positions. */
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { ChainPlace } from '../../../schemas/chain-place.ts'
import type { Address, Hex, TokenRaw, Wei } from '../../../schemas/units.ts'
import { createRandom, type Random } from '../../simulated/random.ts'
import type { Identities } from './identities.ts'
import type { LaunchPlan } from './plan.ts'
import { createPool, type Pool } from './pool.ts'
import { creatorWallet } from './schedule.ts'

/** A fact (a decoded log entry of the chain) without its block and indexes. `market.ts` adds these. */
export type Draft = DraftOf<ChainAFact>
type DraftOf<Fact> = Fact extends { type: infer Type; data: infer Data }
  ? { type: Type; data: Omit<Data, keyof ChainPlace> }
  : never

/**
 * A liquidity position in the pool. `wallet` is the number of the wallet for which the position was added.
 * `nftOwner` is null if the position has no NFT, which is the case on v3 or if a contract holds the position
 * itself.
 */
export type LiquidityPosition = Readonly<{
  lower: number
  upper: number
  liquidity: bigint
  wallet: number
  salt: Hex | null
  nftOwner: Address | null
}>

export type Launch = {
  readonly plan: LaunchPlan
  readonly identities: Identities
  readonly random: Random
  readonly pool: Pool
  readonly creator: number
  /**
   * The wallets that hold bought tokens, with one entry per buy. The entries are in the order of the buys
   * until a holder has sold everything for the first time.
   */
  readonly holders: Holder[]
  readonly positions: LiquidityPosition[]
  /** The liquidity that was added when the pool was opened. */
  firstLiquidity: bigint
}

type Holder = { readonly wallet: number; tokens: TokenRaw }

/** The total supply in raw units: a billion tokens of 18 decimals. */
const supplyRaw = 1e27

/** The value of the whole supply at graduation, in ETH. The pool opens with 4.2 ETH and 10/49 of the supply. */
const graduatedValueEth = (4.2 * 49) / 10

export function openLaunch(plan: LaunchPlan, identities: Identities): Launch {
  const random = createRandom(identities.seed, plan.id, plan.kind === 'second' ? 9 : 4)
  const drawnEth = Math.min(15, Math.max(1.5, random.logNormal(3.5, 0.5)))
  const valueEth = plan.kind === 'graduated' ? graduatedValueEth : drawnEth
  const tokensPerWei = supplyRaw / (valueEth * 1e18)
  const root = Math.sqrt(plan.ethIsCurrency0 ? tokensPerWei : 1 / tokensPerWei)
  const sqrtPriceX96 = BigInt(Math.floor(root * 2 ** 48)) << 48n
  const precise = root < 1 ? BigInt(Math.floor(root * 2 ** 96)) : sqrtPriceX96
  return {
    plan,
    identities,
    random,
    pool: createPool(precise, plan.feePips),
    creator: creatorWallet(random),
    holders: [],
    positions: [],
    firstLiquidity: 0n,
  }
}

/** Converts ETH to wei, rounded to whole gwei. */
export const weiOf = (eth: number): Wei => BigInt(Math.round(eth * 1e9)) * 1_000_000_000n
