/**
 * Runs a recorded day with 6,354 swaps of three v3 pools through the whole stage. The results are compared
 * with an oracle that computes them directly from the recording.
 */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { bursts } from '../../processors/chain-a/bursts/processor.ts'
import { slideTo } from '../../processors/chain-a/bursts/window.ts'
import { itemOf } from '../../processors/chain-a/pools/pool.ts'
import type { ChainAProcessor } from '../../processors/chain-a/processor.ts'
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import { chainA } from '../../processors/stages.ts'
import { type ChainADerived, rowKeyOf } from '../../schemas/chain-a/derived.ts'
import type { ChainAFact, PoolCreated } from '../../schemas/chain-a/facts.ts'
import { chainANumbers } from '../../schemas/chain-a/numbers.ts'
import type { Hex } from '../../schemas/units.ts'
import { buildHash, buildPoolCreated } from '../support/builders/build-facts.ts'
import { windowAt } from '../support/oracle/bursts.ts'
import { burstsOfStory, storyOfPool } from '../support/oracle/followed-pool.ts'
import { oracleRules } from '../support/oracle/oracle-rules.ts'
import { minuteAt } from '../support/oracle/pool-rows.ts'

type Recorded = Readonly<{ pool: Hex; token: Hex; file: string; ethIsCurrency0: boolean }>

/** A recorded swap. `ethWei` is positive if ETH was paid in. */
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

const createdOf = ({ pool, token, ethIsCurrency0 }: Recorded): PoolCreated => {
  const at = { blockAtMs: dayAtMs, blockNumber: 18_937_380 }
  return buildPoolCreated({ pool, token, dex: 'v3', ethIsCurrency0, sqrtPriceX96: null, ...at }).data
}

const bySwap = ({ data }: ChainAFact): string =>
  `${'pool' in data ? data.pool : ''} ${data.blockNumber} ${data.logIndex}`

const minuteMs = 60_000

const windowOf = (trades: readonly Trade[], index: number): Counted => {
  const { net: netWei, buys, sells } = windowAt(trades, index, oracleRules)
  return { netWei, buys: buys.length, sells }
}

type Sums = Readonly<{ buyWei: bigint; sellWei: bigint; buys: number; sells: number }>

function countMinutes(trades: readonly Trade[]): Map<number, Sums> {
  const starts = new Set(trades.map(({ atMs }) => atMs - (atMs % minuteMs)))
  return new Map([...starts].map((startMs) => [startMs, minuteAt(trades, startMs, oracleRules)]))
}

/** Returns the newest version of each minute. */
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
    for (const tape of tapes) driver.fact(tape.token, { type: 'PoolCreated', data: createdOf(tape) })
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
    it(`${file}: the window equals the oracle’s at each of ${swaps} swaps`, () => {
      const { trades } = tapes.find((tape) => tape.file === file)!
      let compared = 0
      trades.forEach((trade, index) => {
        expect(windows.get(bySwap(trade.fact)), `swap ${index}`).to.deep.equal(windowOf(trades, index))
        compared++
      })
      expect(compared).to.equal(swaps)
    })

  it('fires the bursts that the oracle finds, each with its outcome half an hour on', () => {
    const found = tapes.map((tape) => {
      const { file, pool, trades } = tape
      const fired = records('Burst', pool).map(({ data }) => ('tier' in data ? `${data.atMs} ${data.tier}` : ''))
      const story = storyOfPool(
        createdOf(tape),
        trades.map(({ fact }) => fact),
      )
      expect(fired.sort(), file).to.deep.equal(
        burstsOfStory(story)
          .map(({ at, tier }) => `${at} ${tier}`)
          .sort(),
      )
      expect(records('BurstOutcome', pool), file).to.have.length(fired.length)
      return fired.length
    })
    expect(found[0]).to.be.greaterThan(1)
  })

  it('adds up to the recording’s buys and sells, minute by minute', () => {
    for (const { file, pool, trades } of tapes)
      expect([...minutesOf(records('PoolMinute', pool))], file).to.deep.equal([...countMinutes(trades)])
  })
})

/**
 * Returns a bursts processor that also stores its window (the sums of the recent swaps) in `windows` after
 * each swap.
 */
function probed(windows: Map<string, Counted>): ChainAProcessor<ReturnType<typeof bursts.initialState>> {
  return {
    ...bursts,
    onFact(state, fact, context) {
      bursts.onFact?.(state, fact, context)
      const window = 'pool' in fact.data ? itemOf(state.candidates, fact.data.pool)?.window : undefined
      if (fact.type !== 'Swap' || !window) return
      slideTo(window, fact.data.blockAtMs, chainANumbers.bursts)
      const { netWei, buys, sells } = window
      windows.set(bySwap(fact), { netWei, buys, sells })
    },
  }
}
