/** A pool of chain A from its facts: what was traded, what was pulled, and who can pull the rest. */
import type { ChainARecord, LiquidityChanged, PoolCreated, PositionTransferred } from '../../../../schemas/chain-a/facts.ts'
import { type OracleBurst, findBursts } from '../../../support/oracle/bursts.ts'
import type { Told as Move } from '../../../support/oracle/desk/desk.ts'
import type { OraclePool, OracleSwap } from '../../../support/oracle/events.ts'
import { oracleRules } from '../../../support/oracle/oracle-rules.ts'
import { ethHeld } from '../../../support/oracle/pool-rows.ts'
import { dayMs, type VerdictRules } from './rules.ts'

/** A transaction changed the liquidity: its ETH after / before, at the price before. */
type Pull = Readonly<{ atMs: number; block: number; ratio: number }>

export type TokenPool = Readonly<{
  pool: OraclePool
  moves: readonly Move[]
  pulls: readonly Pull[]
  changes: readonly LiquidityChanged[]
  transfers: readonly PositionTransferred[]
  bursts: readonly OracleBurst[]
}>

const tickLimit = 887_272

type Open = Readonly<{ txHash: string; atMs: number; block: number; eth: number; sqrt: number }>

/** `facts`: of the token, in order. */
export function poolOf(created: PoolCreated, facts: readonly ChainARecord[]): TokenPool {
  const { pool: id, dex, token, hooks, ethIsCurrency0: ethIsToken0, blockAtMs: createdAtMs } = created
  const [moves, swaps, pulls]: [Move[], OracleSwap[], Pull[]] = [[], [], []]
  const [changes, transfers]: [LiquidityChanged[], PositionTransferred[]] = [[], []]
  let [sqrt, left, open]: [number | null, number, Open | null] = [null, 1, null]
  const held = (root: number) =>
    ethHeld(
      changes.map(({ tickLower: lower, tickUpper: upper, liquidityDelta: delta }) => ({ lower, upper, delta })),
      ...([root, ethIsToken0] as const),
    )
  const pxOf = (root: number) => (ethIsToken0 ? 1 / root ** 2 : root ** 2) / 1e18
  const tell = (atMs: number) => sqrt !== null && moves.push({ atMs, px: pxOf(sqrt), left })
  const price = (root: bigint, atMs: number) => {
    sqrt = Number(root) / 2 ** 96
    tell(atMs)
  }
  const settle = () => {
    if (open !== null && open.eth > 0) {
      const ratio = held(open.sqrt) / open.eth
      left *= ratio
      pulls.push({ atMs: open.atMs, block: open.block, ratio })
      tell(open.atMs)
    }
    open = null
  }
  for (const [order, { type, data }] of facts.entries()) {
    if (!('pool' in data) || data.pool !== id || !('txHash' in data)) continue
    const { txHash, blockAtMs: atMs, blockNumber: block } = data
    if (open !== null && open.txHash !== txHash) settle()
    if ((type === 'PoolCreated' || type === 'PoolInitialized') && data.sqrtPriceX96 !== null)
      price(data.sqrtPriceX96, atMs)
    if (type === 'PositionTransferred') transfers.push(data)
    if (type === 'LiquidityChanged' && data.liquidityDelta !== 0n) {
      open ??= { txHash, atMs, block, eth: held(sqrt ?? 0), sqrt: sqrt ?? 0 }
      changes.push(data)
    }
    const isOwn = type === 'Swap' && data.sender === hooks
    if (type !== 'Swap' || isOwn || data.ethWei === 0n || data.tick <= -tickLimit || data.tick >= tickLimit - 1) continue
    price(data.sqrtPriceX96, atMs)
    const sqrtPrice = sqrt ?? 0
    swaps.push({ pool: id, block, atMs, order, ethWei: data.ethWei, px: pxOf(sqrtPrice), sqrtPrice, tx: txHash })
  }
  settle()
  const createdBlock = created.blockNumber
  const pool = { id, dex, token, ethIsToken0, hooks, createdBlock, createdAtMs, creator: created.txSender ?? '' }
  return { pool, moves, pulls, changes, transfers, bursts: burstsOf(pool, swaps) }
}

/** Nobody asks here who bought. */
function burstsOf(pool: OraclePool, swaps: readonly OracleSwap[]): readonly OracleBurst[] {
  const events = { pools: [pool], swaps, liquidity: [], transfers: [], touches: [], firstPrices: [] }
  return findBursts(events, Object.fromEntries(swaps.map(({ tx }) => [tx, tx])), oracleRules)
}

/** Whether a burst of the last day was scored with a rug. */
export const isRuggedAt = ({ bursts, pulls }: TokenPool, blockAtMs: number, rules: VerdictRules): boolean =>
  bursts
    .filter(({ at }) => at > blockAtMs - dayMs && at + 30 * 60_000 < blockAtMs)
    .some(({ at, block }) => {
      const later = pulls.filter((pull) => pull.block > block && pull.atMs <= at + rules.rugWindowMs)
      let left = 1
      return later.some(({ ratio }) => {
        left *= ratio
        return left <= rules.rugLeft + 1e-12
      })
    })

type LpClass = 'held' | 'unknown' | 'empty' | 'safe'
export type Profile = Readonly<{ class: LpClass; insiderShare: number; checkedAtMs: number }>

const gone = new Set(['0x0000000000000000000000000000000000000000', '0x000000000000000000000000000000000000dead'])
const checkedAgeMs = 6 * 3_600_000

/** Of a v4 pool, as it stands at the newest block. */
export function profileAt(its: TokenPool, blockAtMs: number, rules: VerdictRules): Profile {
  const { pool, changes, transfers } = its
  const isPast = ({ blockAtMs: atMs }: Readonly<{ blockAtMs: number }>) => atMs <= blockAtMs
  const past = changes.filter(isPast)
  const insiders = new Set([pool.creator])
  for (const { liquidityDelta, txSender } of past) if (liquidityDelta > 0n && txSender) insiders.add(txSender)
  const owners = new Map(transfers.filter(isPast).map(({ positionId, to }) => [positionId, to]))
  const positions = new Map<string, { nft: LiquidityChanged['positionId']; liquidity: bigint }>()
  for (const { positionId: nft, owner, salt, tickLower, tickUpper, liquidityDelta } of past) {
    const key = nft ?? `${owner} ${salt} ${tickLower} ${tickUpper}`
    positions.set(key, { nft, liquidity: (positions.get(key)?.liquidity ?? 0n) + liquidityDelta })
  }
  const sums = { insider: 0n, unknown: 0n, other: 0n }
  for (const { nft, liquidity } of positions.values()) {
    const owner = nft === null ? 'a contract' : owners.get(nft)
    const holder = owner === undefined ? 'unknown' : insiders.has(owner) && !gone.has(owner) ? 'insider' : 'other'
    sums[holder] += liquidity
  }
  const total = sums.insider + sums.unknown + sums.other
  const changed = [...past, ...transfers.filter(isPast)].map(({ blockAtMs: atMs }) => atMs)
  return {
    class: classOf(sums, total, rules),
    insiderShare: total === 0n ? 0 : Number(sums.insider) / Number(total),
    checkedAtMs: Math.max(pool.createdAtMs, ...changed, lastCheckOf(pool, blockAtMs, rules)),
  }
}

type Sums = Readonly<Record<'insider' | 'unknown' | 'other', bigint>>

function classOf({ insider, other }: Sums, total: bigint, { heldPercent }: VerdictRules): LpClass {
  if (total === 0n) return 'empty'
  if (100n * insider >= heldPercent * total) return 'held'
  return 2n * other >= total ? 'safe' : 'unknown'
}

/** Every ten minutes of its age under six hours, once block time has passed it. */
function lastCheckOf({ createdAtMs }: OraclePool, blockAtMs: number, { checkEveryMs }: VerdictRules): number {
  let last = createdAtMs
  for (let ageMs = checkEveryMs; ageMs < checkedAgeMs && createdAtMs + ageMs < blockAtMs; ageMs += checkEveryMs)
    last = createdAtMs + ageMs
  return last
}

const byRisk: readonly LpClass[] = ['held', 'unknown', 'empty', 'safe']
export const riskiestOf = (classes: readonly LpClass[]): LpClass | undefined =>
  byRisk.find((risk) => classes.includes(risk))
