/**
 * Scripts the trades on bonding curves of the mock launchpad. The curves are in different states, from only
 * launched to graduated into a pool. One curve is older than the log. The script contains no expected
 * results.
 */
import { type Address, encodeFunctionData, getContractAddress, type Hex, parseAbi } from 'viem'
import type { ChainAContracts } from './deployment.ts'
import { createBook, type Deed } from './market-book.ts'
import { mockCreation } from './mock-contracts.ts'
import { type NodeTransaction, walletOf } from './node.ts'
import { approval, noAddress, weiOf } from './pools.ts'

/** The length of the script without the live part, which is sent while the service runs. */
export const curveMarketLengthMs = 20 * 60_000

const factoryAbi = parseAbi([
  'function launch(string symbol, uint256 taxBps, address pairToken) payable',
  'function graduate(address token)',
])
const curveAbi = parseAbi([
  'function buy(address recipient) payable',
  'function sell(uint256 tokensIn, address recipient)',
])
const impostorAbi = parseAbi(['function buy() payable'])

type Curve = Readonly<{ name: string; curve: Address; token: Address }>

export type CurveMarket = Readonly<{
  factory: Address
  curves: readonly Curve[]
  past: readonly Deed[]
  /**
   * Returns the transactions that are sent while the service runs. One curve is traded, and another graduates
   * into its pool.
   */
  live(fromAtMs: number): readonly Deed[]
}>

type Launch = Readonly<{ name: string; atMs: number; taxBps?: number; pairToken?: Address; eth?: number }>
type Trade = Readonly<{ wallet: string; eth?: number; tokens?: bigint }>

/** Builds the script. `beforeLogMs` is a time before the log begins. */
export function createCurveMarket(
  contracts: ChainAContracts,
  { startAtMs, beforeLogMs }: Readonly<{ startAtMs: number; beforeLogMs: number }>,
): CurveMarket {
  const book = createBook(contracts)
  const builder = walletOf('builder of the launchpad')
  const [factory, impostor] = [0n, 1n].map((nonce) => getContractAddress({ from: builder, nonce })) as [
    Address,
    Address,
  ]
  const clock = (minutes: number, seconds = 0) => startAtMs + (minutes * 60 + seconds) * 1000
  const act = (atMs: number, ...transactions: readonly NodeTransaction[]) => book.note({ atMs, transactions })
  const curves: Curve[] = []
  const launch = (plan: Launch): Curve => {
    const curve = getContractAddress({ from: factory, nonce: BigInt(curves.length + 1) })
    const launched = { name: plan.name, curve, token: getContractAddress({ from: curve, nonce: 1n }) }
    curves.push(launched)
    act(plan.atMs, launching(factory, plan))
    return launched
  }
  const trades = (atMs: number, { curve, token }: Curve, ...all: readonly Trade[]) =>
    act(atMs, ...all.flatMap((trade) => trading(curve, token, trade)))

  act(beforeLogMs, ...launchpad(contracts, builder))
  const old = launch({ name: 'older than the log', atMs: beforeLogMs + 1000, taxBps: 50 })
  trades(beforeLogMs + 60_000, old, { wallet: 'early', eth: 0.7 })
  launch({ name: 'only launched', atMs: clock(1) })
  const traded = launch({ name: 'traded', atMs: clock(2), taxBps: 100 })
  const opening = launch({ name: 'bought at the opening', atMs: clock(3) })
  const full = launch({ name: 'full', atMs: clock(4), taxBps: 100 })
  const graduating = launch({ name: 'graduated', atMs: clock(5) })
  launch({ name: 'full at launch', atMs: clock(6), taxBps: 300, eth: 30 })
  launch({ name: 'against a dollar', atMs: clock(7), pairToken: contracts.weth })

  for (let index = 0; index < 33; index++)
    trades(clock(8, index * 3), traded, { wallet: `curve ${index}`, eth: 0.02 + index / 1000 })
  trades(clock(10), traded, { wallet: 'curve 3', tokens: 10n ** 24n }, { wallet: 'curve 4', tokens: 3n * 10n ** 23n })
  for (const second of [0, 1, 2, 40])
    trades(clock(3, second), opening, { wallet: `sniper ${second}`, eth: 0.1 }, { wallet: `sniper again`, eth: 0.05 })
  trades(clock(11), full, { wallet: 'filler', eth: 2 })
  trades(clock(12), full, { wallet: 'filler', tokens: 10n ** 25n }, { wallet: 'last filler', eth: 5 })
  trades(clock(13), graduating, { wallet: 'filler', eth: 9 })
  act(clock(15), graduation(factory, graduating))
  trades(clock(16), old, { wallet: 'late', eth: 0.3 })
  trades(clock(17), old, { wallet: 'later', eth: 0.1 }, { wallet: 'late', tokens: 10n ** 24n })
  const fake = encodeFunctionData({ abi: impostorAbi, functionName: 'buy' })
  act(clock(18), { from: walletOf('impostor'), to: impostor, data: fake })
  const past = [...book.deeds]
  return {
    ...{ factory, curves, past },
    live(fromAtMs) {
      const later = createBook(contracts)
      later.note({ atMs: fromAtMs, transactions: trading(traded.curve, traded.token, { wallet: 'live', eth: 0.25 }) })
      later.note({ atMs: fromAtMs + 1000, transactions: [graduation(factory, full)] })
      return later.deeds
    },
  }
}

function launchpad(
  { positionManager, permit2, tradingHook }: ChainAContracts,
  from: Address,
): readonly NodeTransaction[] {
  const created = (data: Hex): NodeTransaction => ({ from, to: null, data, gas: 8_000_000n })
  const locker = walletOf('locker of the launchpad')
  return [
    created(mockCreation('MockPonsFactory', [positionManager, permit2, tradingHook, locker])),
    created(mockCreation('MockPonsImpostor')),
  ]
}

const launching = (factory: Address, { name, taxBps, pairToken, eth }: Launch): NodeTransaction => ({
  from: walletOf(`launcher of ${name}`),
  to: factory,
  gas: 6_000_000n,
  valueWei: weiOf(eth ?? 0),
  data: encodeFunctionData({
    abi: factoryAbi,
    functionName: 'launch',
    args: [name.toUpperCase(), BigInt(taxBps ?? 0), pairToken ?? noAddress],
  }),
})

/** Builds a buy or a sell. `eth` is the amount of a buy, and `tokens` is the raw amount of a sell. */
function trading(curve: Address, token: Address, { wallet, eth, tokens }: Trade): readonly NodeTransaction[] {
  const from = walletOf(wallet)
  if (tokens === undefined)
    return [
      {
        ...{ from, to: curve, valueWei: weiOf(eth ?? 0) },
        data: encodeFunctionData({ abi: curveAbi, functionName: 'buy', args: [from] }),
      },
    ]
  const data = encodeFunctionData({ abi: curveAbi, functionName: 'sell', args: [tokens, from] })
  return [approval(from, token, curve), { from, to: curve, data }]
}

const graduation = (factory: Address, { token }: Curve): NodeTransaction => ({
  from: walletOf('keeper'),
  to: factory,
  gas: 3_000_000n,
  data: encodeFunctionData({ abi: factoryAbi, functionName: 'graduate', args: [token] }),
})
