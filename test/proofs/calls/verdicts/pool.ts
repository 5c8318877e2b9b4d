/** A pool of chain A from its facts: what was traded, and what was pulled. */
import type {
  ChainARecord,
  LiquidityChanged,
  PoolCreated,
  PositionTransferred,
  Swap,
} from '../../../../schemas/chain-a/facts.ts'
import { findBursts, type OracleBurst } from '../../../support/oracle/bursts.ts'
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

type Open = Readonly<{ txHash: string; atMs: number; block: number; eth: number; root: number }>

type Following = {
  readonly pool: OraclePool
  readonly moves: Move[]
  readonly swaps: OracleSwap[]
  readonly pulls: Pull[]
  readonly changes: LiquidityChanged[]
  readonly transfers: PositionTransferred[]
  /** The root of the price; null before the first. */
  root: number | null
  left: number
  /** The transaction that is changing the liquidity. */
  open: Open | null
}

const tickLimit = 887_272

/** `facts`: of the token, in order. */
export function poolOf(created: PoolCreated, facts: readonly ChainARecord[]): TokenPool {
  const { pool: id, dex, token, hooks, ethIsCurrency0: ethIsToken0, blockAtMs: createdAtMs } = created
  const place = { createdBlock: created.blockNumber, createdAtMs, creator: created.txSender ?? '' }
  const state: Following = {
    pool: { id, dex, token, hooks, ethIsToken0, ...place },
    ...{ moves: [], swaps: [], pulls: [], changes: [], transfers: [] },
    ...{ root: null, left: 1, open: null },
  }
  for (const [order, fact] of facts.entries()) follow(state, fact, order)
  settle(state)
  return { ...state, bursts: burstsOf(state) }
}

function follow(state: Following, { type, data }: ChainARecord, order: number): void {
  if (!('pool' in data) || data.pool !== state.pool.id || !('txHash' in data)) return
  if (state.open !== null && state.open.txHash !== data.txHash) settle(state)
  switch (type) {
    case 'PoolCreated':
    case 'PoolInitialized':
      if (data.sqrtPriceX96 !== null) takePrice(state, data.sqrtPriceX96, data.blockAtMs)
      break
    case 'Swap':
      takeSwap(state, data, order)
      break
    case 'LiquidityChanged':
      takeChange(state, data)
      break
    case 'PositionTransferred':
      state.transfers.push(data)
  }
}

const pxOf = ({ ethIsToken0 }: OraclePool, root: number): number => (ethIsToken0 ? 1 / root ** 2 : root ** 2) / 1e18

function tell({ moves, pool, root, left }: Following, atMs: number): void {
  if (root !== null) moves.push({ atMs, px: pxOf(pool, root), left })
}

function takePrice(state: Following, sqrtPriceX96: bigint, atMs: number): void {
  state.root = Number(sqrtPriceX96) / 2 ** 96
  tell(state, atMs)
}

/** Swaps without ETH, at the ends of the price, and of the pool’s own hook do not count. */
function takeSwap(state: Following, swap: Swap, order: number): void {
  const { ethWei, tick, sender, sqrtPriceX96, blockAtMs: atMs, blockNumber: block, txHash: tx } = swap
  const { pool, swaps } = state
  if (ethWei === 0n || tick <= -tickLimit || tick >= tickLimit - 1 || sender === pool.hooks) return
  takePrice(state, sqrtPriceX96, atMs)
  const sqrtPrice = state.root ?? 0
  swaps.push({ pool: pool.id, block, atMs, order, ethWei, px: pxOf(pool, sqrtPrice), sqrtPrice, tx })
}

function takeChange(state: Following, change: LiquidityChanged): void {
  if (change.liquidityDelta === 0n) return
  const { txHash, blockAtMs: atMs, blockNumber: block } = change
  const root = state.root ?? 0
  state.open ??= { txHash, atMs, block, eth: heldAt(state, root), root }
  state.changes.push(change)
}

function heldAt({ changes, pool }: Following, root: number): number {
  const positions = changes.map(({ tickLower: lower, tickUpper: upper, liquidityDelta: delta }) => {
    return { lower, upper, delta }
  })
  return ethHeld(positions, root, pool.ethIsToken0)
}

/** The transaction is over. Before the first liquidity there was nothing to pull. */
function settle(state: Following): void {
  const { open } = state
  state.open = null
  if (open === null || open.eth <= 0) return
  const ratio = heldAt(state, open.root) / open.eth
  state.left *= ratio
  state.pulls.push({ atMs: open.atMs, block: open.block, ratio })
  tell(state, open.atMs)
}

/** Nobody asks here who bought. */
function burstsOf({ pool, swaps }: Following): readonly OracleBurst[] {
  const events = { pools: [pool], swaps, liquidity: [], transfers: [], touches: [], firstPrices: [] }
  return findBursts(events, Object.fromEntries(swaps.map(({ tx }) => [tx, tx])), oracleRules)
}

const scoredAfterMs = 30 * 60_000

/** Whether a burst of the last day was scored with a rug. */
export const isRuggedAt = ({ bursts, pulls }: TokenPool, blockAtMs: number, rules: VerdictRules): boolean =>
  bursts
    .filter(({ at }) => at > blockAtMs - dayMs && at + scoredAfterMs < blockAtMs)
    .some(({ at, block }) => {
      const later = pulls.filter((pull) => pull.block > block && pull.atMs <= at + rules.rugWindowMs)
      let left = 1
      return later.some(({ ratio }) => {
        left *= ratio
        return left <= rules.rugLeft + 1e-12
      })
    })
