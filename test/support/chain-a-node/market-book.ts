/** Collects the scripted transactions by second and block. Later they are sent to the node in this order. */
import type { Address } from 'viem'
import type { ChainAContracts } from './deployment.ts'
import { type ChainANode, type NodeTransaction, walletOf } from './node.ts'
import { type NodePool, noAddress, type PoolOptions, planPool, tokenPlan, weiOf } from './pools.ts'
import { trade, trader } from './trades.ts'

/**
 * The transactions of one block, or a part of them. `slot` orders the blocks of one second, because chain A
 * makes ten blocks per second.
 */
export type Deed = Readonly<{ atMs: number; slot: number; transactions: readonly NodeTransaction[] }>

type Swap = Readonly<{
  atMs: number
  eth: number
  wallet: string
  slot?: number
  router?: Address
  mayFail?: boolean
}>

export type MarketPool = NodePool & Readonly<{ name: string }>

/** The options of a new pool. With `tokenOf`, the pool trades the token of that pool instead of a new token. */
type Opening = Readonly<{ name: string; atMs: number; side?: 'eth-first' | 'eth-last'; tokenOf?: MarketPool }> &
  Partial<Omit<PoolOptions, 'token' | 'provider'>>

export type Book = Readonly<{
  contracts: ChainAContracts
  deeds: readonly Deed[]
  pools: readonly MarketPool[]
  note(deed: Readonly<{ atMs: number; slot?: number; transactions: readonly NodeTransaction[] }>): void
  open(opening: Opening): MarketPool
  /**
   * Trades in the pool. A positive `eth` buys for that amount of ETH. A negative `eth` sells until that
   * amount of ETH comes out.
   */
  swap(pool: MarketPool, swap: Swap): void
}>

export function createBook(contracts: ChainAContracts): Book {
  const deeds: Deed[] = []
  const pools: MarketPool[] = []
  const equipped = new Set<string>()
  const note: Book['note'] = ({ atMs, slot, transactions }) => {
    deeds.push({ atMs, slot: slot ?? 0, transactions })
  }
  return {
    contracts,
    deeds,
    pools,
    note,
    open(opening) {
      const { name, atMs, side, tokenOf, ...options } = opening
      const quote = options.quote ?? (options.dex === 'v3' || side === 'eth-last' ? contracts.weth : noAddress)
      const order = side === 'eth-last' ? { below: quote } : { above: quote }
      const { token, creation } = tokenOf ? { token: tokenOf.token, creation: [] } : newToken(name, order)
      const provider = walletOf(`provider of ${name}`)
      const plan = planPool(contracts, { dex: 'v4', liquidityEth: 10, ...options, token, quote, provider })
      note({ atMs, transactions: [...creation, ...plan.transactions] })
      const pool = { ...plan.pool, name }
      pools.push(pool)
      return pool
    },
    swap(pool, { atMs, slot, eth, wallet, ...order }) {
      const needsEquipment = eth < 0 || (pool.dex === 'v4' && pool.quote !== noAddress)
      const key = `${pool.id} ${wallet}`
      const isFirst = needsEquipment && order.mayFail !== true && order.router === undefined && !equipped.has(key)
      if (isFirst) equipped.add(key)
      const address = walletOf(wallet)
      const equipment = isFirst ? trader(contracts, pool, address) : []
      const deal = trade(contracts, pool, { ...order, wallet: address, quoteWei: weiOf(eth) })
      note({ atMs, slot: slot ?? 0, transactions: [...equipment, deal] })
    },
  }
}

function newToken(name: string, order: Parameters<typeof tokenPlan>[1]) {
  const { token, transaction } = tokenPlan(name, order)
  return { token, creation: [transaction] }
}

/**
 * With `fast`, blocks are mined without waiting. With `wall`, each block is mined when the clock reaches its
 * time. `beside heartbeat` is for a node that also mines empty blocks: a late block gets the current time.
 */
type Pace = 'fast' | 'wall' | 'beside heartbeat'

/** Mines the scripted transactions in time order, with one block per second and slot. */
export async function play(node: ChainANode, deeds: readonly Deed[], pace: Pace = 'fast'): Promise<void> {
  const inOrder = [...deeds].sort((a, b) => a.atMs - b.atMs || a.slot - b.slot)
  for (let from = 0; from < inOrder.length; ) {
    const { atMs, slot } = inOrder[from] as Deed
    const end = inOrder.findIndex((deed, index) => index > from && (deed.atMs !== atMs || deed.slot !== slot))
    const block = inOrder.slice(from, end === -1 ? inOrder.length : end)
    if (pace !== 'fast') await waitUntil(atMs)
    const isBeside = pace === 'beside heartbeat'
    await node.mine(
      isBeside ? Math.max(atMs, Date.now()) : atMs,
      block.flatMap((deed) => deed.transactions),
      { orLater: isBeside },
    )
    from += block.length
  }
}

const waitUntil = (atMs: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, atMs - Date.now())))
