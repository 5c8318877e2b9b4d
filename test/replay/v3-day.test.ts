/**
 * A real day through the whole stage: 6,354 swaps of three v3 pools. Whatever the window says at a swap is counted again
 * here from the recording alone, and so are the bursts.
 */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { bursts } from '../../processors/chain-a/bursts/processor.ts'
import { slideTo } from '../../processors/chain-a/bursts/window.ts'
import type { ChainAProcessor } from '../../processors/chain-a/processor.ts'
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import { chainA } from '../../processors/stages.ts'
import { type ChainADerived, rowKeyOf } from '../../schemas/chain-a/derived.ts'
import type { ChainAFact } from '../../schemas/chain-a/facts.ts'
import { chainANumbers } from '../../schemas/chain-a/numbers.ts'
import type { Hex } from '../../schemas/units.ts'
import { buildHash, buildPoolCreated } from '../support/builders/build-facts.ts'

type Recorded = Readonly<{ pool: Hex; token: Hex; file: string; ethIsCurrency0: boolean }>

/** One swap as recorded, its ETH as paid in. */
type Trade = Readonly<{ block: number; atMs: number; ethWei: bigint; fact: Extract<ChainAFact, { type: 'Swap' }> }>

type Counted = Readonly<{ netWei: bigint; buys: number; sells: number }>

const dayAtMs = Date.UTC(2024, 0, 5)
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const recordings: readonly Recorded[] = [
  { file: 'usdc-weth-500', pool: '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640', token: usdc, ethIsCurrency0: false },
  { file: 'usdc-weth-3000', pool: '0x8ad599c3a0ff1de082011efddc58f1908eb6e6d8', token: usdc, ethIsCurrency0: false },
  {
    file: 'weth-osqth-3000',
    pool: '0x82c427adfdf2d245ec51d8046b41c4ee87f0d29c',
    token: '0xf1b99e3e573a1a9c5e6b2ce818b617f0e664e86b',
    ethIsCurrency0: true,
  },
]

function readTrades({ file, pool, ethIsCurrency0 }: Recorded): Trade[] {
  const csv = gunzipSync(readFileSync(new URL(`../fixtures/v3-day-2024-01-05/${file}.csv.gz`, import.meta.url)))
  const [, ...lines] = csv.toString().trimEnd().split('\n')
  return lines.map((line) => toTrade(line.split(','), pool, ethIsCurrency0))
}

function toTrade(cells: readonly string[], pool: Hex, ethIsCurrency0: boolean): Trade {
  const number = (index: number) => Number(cells[index])
  const integer = (index: number) => BigInt(cells[index]!)
  const [block, atMs] = [number(0), number(1) * 1000]
  const ethWei = integer(ethIsCurrency0 ? 4 : 5)
  const data = {
    pool,
    ethWei,
    tokenRaw: -integer(ethIsCurrency0 ? 5 : 4),
    sqrtPriceX96: integer(6),
    liquidity: integer(7),
    tick: number(8),
    sender: cells[9] as Hex,
    blockNumber: block,
    blockAtMs: atMs,
    txIndex: number(2),
    logIndex: number(3),
    blockHash: buildHash(block),
    txHash: cells[10] as Hex,
  }
  return { block, atMs, ethWei, fact: { type: 'Swap', data } }
}

const bySwap = ({ data }: ChainAFact): string =>
  `${'pool' in data ? data.pool : ''} ${data.blockNumber} ${data.logIndex}`

/** The window from the recording: all trades of the last `spanMs` up to the one at `index`, which itself counts. */
function recount(trades: readonly Trade[], index: number, spanMs: number): Counted {
  const { atMs } = trades[index]!
  let [netWei, buys, sells] = [0n, 0, 0]
  for (let at = index; at >= 0 && trades[at]!.atMs > atMs - spanMs; at--) {
    const { ethWei } = trades[at]!
    netWei += ethWei
    if (ethWei > 0n) buys++
    else sells++
  }
  return { netWei, buys, sells }
}

/** Where a swap ends its block: the instants at which rules are judged. */
const blockEnds = (trades: readonly Trade[]): number[] =>
  [...trades.keys()].filter((index) => trades[index + 1]?.block !== trades[index]!.block)

/** Instants at whose block end the pool is at least 5 min old, over the thresholds, and still bought where that is asked. */
function instantsOver(
  trades: readonly Trade[],
  { netWei, buys, isBought }: Readonly<{ netWei: bigint; buys: number; isBought: boolean }>,
): number[] {
  const isStillBought = (index: number): boolean => {
    const recent = recount(trades, index, 15_000)
    return recent.buys > 0 && recent.netWei > 0n
  }
  const isOver = (index: number): boolean => {
    const minute = recount(trades, index, 60_000)
    return minute.netWei >= netWei && minute.buys >= buys && (!isBought || isStillBought(index))
  }
  return blockEnds(trades)
    .filter(isOver)
    .map((index) => trades[index]!.atMs)
    .filter((atMs) => atMs >= dayAtMs + 300_000)
}

/** The rules of the tiers once more, slowly, from the recording; the pools are as old as the day. */
function recountBursts(trades: readonly Trade[]): string[] {
  const youngUntilMs = dayAtMs + 6 * 3_600_000
  const full: number[] = []
  for (const atMs of instantsOver(trades, { netWei: 10n ** 18n, buys: 12, isBought: true }))
    if (atMs >= (full.at(-1) ?? 0) + 1_800_000) full.push(atMs)
  const fullTier = (atMs: number, index: number) => (index > 0 ? 'refire' : atMs <= youngUntilMs ? 'main' : 'old')
  const small = instantsOver(trades, { netWei: 5n * 10n ** 17n, buys: 8, isBought: false })
  const [lite] = small.filter((atMs) => atMs <= youngUntilMs)
  return [
    ...full.map((atMs, index) => `${atMs} ${fullTier(atMs, index)}`),
    ...(lite === undefined ? [] : [`${lite} lite`]),
  ].sort()
}

type Sums = Readonly<{ buyWei: bigint; sellWei: bigint; buys: number; sells: number }>

function recountMinutes(trades: readonly Trade[]): Map<number, Sums> {
  const minutes = new Map<number, Sums>()
  for (const { atMs, ethWei } of trades) {
    const minuteAtMs = Math.floor(atMs / 60_000) * 60_000
    const { buyWei, sellWei, buys, sells } = minutes.get(minuteAtMs) ?? { buyWei: 0n, sellWei: 0n, buys: 0, sells: 0 }
    const sums =
      ethWei > 0n
        ? { buyWei: buyWei + ethWei, sellWei, buys: buys + 1, sells }
        : { buyWei, sellWei: sellWei - ethWei, buys, sells: sells + 1 }
    minutes.set(minuteAtMs, sums)
  }
  return minutes
}

/** The newest version of each minute. */
function minutesOf(records: readonly ChainADerived[]): Map<number, Sums> {
  const minutes = new Map<number, Sums>()
  for (const { type, data } of records) {
    if (type !== 'PoolMinute') continue
    const { minuteAtMs, buyWei, sellWei, buys, sells } = data
    minutes.set(minuteAtMs, { buyWei, sellWei, buys, sells })
  }
  return minutes
}

describe('a real day of v3 swaps', () => {
  const tapes = recordings.map((recorded) => ({ ...recorded, trades: readTrades(recorded) }))
  const windows = new Map<string, Counted>()
  const driver = createTestDriver({
    stage: chainA.stage,
    processors: chainA.processors.map((processor) => (processor.name === bursts.name ? probed(windows) : processor)),
  })
  const records = (type: ChainADerived['type'], pool: Hex): ChainADerived[] =>
    driver
      .outputs()
      .map(({ record }) => record)
      .filter((record) => record.type === type && rowKeyOf(record).pool === pool)

  before(() => {
    for (const { pool, token, ethIsCurrency0 } of tapes) {
      const at = { blockAtMs: dayAtMs, blockNumber: 18_937_380 }
      driver.fact(token, buildPoolCreated({ pool, token, dex: 'v3', ethIsCurrency0, sqrtPriceX96: null, ...at }))
    }
    const tokenOf = new Map(tapes.map(({ pool, token }) => [pool, token]))
    const all = tapes.flatMap(({ trades }) => trades)
    all.sort((a, b) => a.block - b.block || a.fact.data.logIndex - b.fact.data.logIndex)
    all.forEach(({ fact, atMs, block }, index) => {
      driver.fact(tokenOf.get(fact.data.pool)!, fact)
      if (index % 500 === 0 && all[index + 1]?.block !== block) {
        driver.tick(atMs)
        driver.restart()
      }
    })
    driver.tick(dayAtMs + 25 * 3_600_000)
  })

  for (const { file, swaps } of [
    { file: 'usdc-weth-500', swaps: 6046 },
    { file: 'usdc-weth-3000', swaps: 267 },
    { file: 'weth-osqth-3000', swaps: 41 },
  ])
    it(`${file}: the window equals a recount at each of ${swaps} swaps`, () => {
      const { trades } = tapes.find((tape) => tape.file === file)!
      let compared = 0
      trades.forEach((trade, index) => {
        expect(windows.get(bySwap(trade.fact)), `swap ${index}`).to.deep.equal(recount(trades, index, 60_000))
        compared++
      })
      expect(compared).to.equal(swaps)
    })

  it('fires the bursts that a recount finds, each with its outcome half an hour on', () => {
    const found = tapes.map(({ file, pool, trades }) => {
      const fired = records('Burst', pool).map(({ data }) => ('tier' in data ? `${data.atMs} ${data.tier}` : ''))
      expect(fired.sort(), file).to.deep.equal(recountBursts(trades))
      expect(records('BurstOutcome', pool), file).to.have.length(fired.length)
      return fired.length
    })
    expect(found[0]).to.be.greaterThan(1)
  })

  it('adds up to the recording’s buys and sells, minute by minute', () => {
    for (const { file, pool, trades } of tapes)
      expect([...minutesOf(records('PoolMinute', pool))], file).to.deep.equal([...recountMinutes(trades)])
  })
})

/** The bursts processor itself, its window read after each swap. */
function probed(windows: Map<string, Counted>): ChainAProcessor<ReturnType<typeof bursts.initialState>> {
  return {
    ...bursts,
    onFact(state, fact, context) {
      bursts.onFact?.(state, fact, context)
      const window = 'pool' in fact.data ? state.candidates.get(fact.data.pool)?.window : undefined
      if (fact.type !== 'Swap' || !window) return
      slideTo(window, fact.data.blockAtMs, chainANumbers.bursts)
      const { netWei, buys, sells } = window
      windows.set(bySwap(fact), { netWei, buys, sells })
    },
  }
}
