import { expect } from 'chai'
import { base58OfHex } from '../../../../infra/base58.ts'
import { orderInBlock } from '../../../../ingest/chain-b/fact-order.ts'
import type { ChainBRange, MintFact } from '../../../../ingest/chain-b/types.ts'
import {
  afterTrade,
  beforeTrade,
  feeOf,
  forSaleRaw,
  isStandardCurve,
  launchReserves,
} from '../../../../schemas/chain-b/curve.ts'
import type { CurveTraded, PoolTraded } from '../../../../schemas/chain-b/facts.ts'
import { graduatedLifeMs } from '../../../../schemas/chain-b/mint-life.ts'
import { beforePoolTrade } from '../../../../schemas/chain-b/pool.ts'
import { burstsOf, type OracleBurst } from '../../../support/oracle/chain-b/bursts.ts'
import { rules } from '../../../support/oracle/chain-b/rules.ts'
import { storiesIn } from '../../../support/oracle/chain-b/stories.ts'
import { formulaOf, isSame, obeysPool, poolTradesOf, tradesOf } from './tape.ts'
import { bookOf, dayMs, factsOf, hourMs, rangesOf, simulatorOver, tapesOf } from './tell.ts'

const fromMs = Date.UTC(2026, 10, 20, 3, 0, 11)
/**
 * The time after which the number of bursts is normal. Before it there are fewer bursts, because no mints are
 * older than the start.
 */
const settledMs = 4 * hourMs
const unsoldRaw = launchReserves.tokenRaw - forSaleRaw

type Tape = readonly MintFact['fact'][]

const launchOf = (tape: Tape) => {
  const [first] = tape
  if (first?.type !== 'CurveLaunched') throw new RangeError('the tape does not begin with a launch')
  return first.data
}
const migrationOf = (tape: Tape) => tape.flatMap(({ type, data }) => (type === 'CurveMigrated' ? [data] : []))
const completionOf = (tape: Tape) => tape.flatMap(({ type, data }) => (type === 'CurveCompleted' ? [data] : []))
const poolReservesOf = ({
  poolQuoteRaw: quoteRaw,
  poolTokenRaw: tokenRaw,
}: Pick<PoolTraded, 'poolQuoteRaw' | 'poolTokenRaw'>) => ({ quoteRaw, tokenRaw })

describe('a day of the simulated chain B', () => {
  let ranges: readonly ChainBRange[]
  let facts: readonly MintFact[]
  let tapes: readonly Tape[]
  let bursts: readonly OracleBurst[]

  before(async () => {
    ranges = await rangesOf({ seed: 7, fromMs, toMs: fromMs + dayMs })
    facts = factsOf(ranges)
    tapes = [...tapesOf(facts).values()]
    const logged = facts.map(({ key, fact }) => ({ key, record: fact }))
    bursts = storiesIn(logged, rules).flatMap((story) => burstsOf(story, rules))
  })

  it('has at most 200,000 facts, of thousands of launches that mostly die', () => {
    expect(facts.length).to.be.within(100_000, 200_000)
    expect(tapes.length).to.be.above(2500)
    const dead = tapes.filter((tape) => tape.at(-1)!.data.blockAtMs - launchOf(tape).blockAtMs < 20 * 60_000)
    expect(dead.length / tapes.length).to.be.above(0.6)
  })

  it('has at least 200 bursts, and a new one in every 5 minutes', () => {
    const fired = bursts.map(({ atMs }) => atMs).sort((left, right) => left - right)
    expect(fired.length).to.be.above(200)
    const settled = fired.filter((atMs) => atMs >= fromMs + settledMs)
    for (const [index, atMs] of [...settled, fromMs + dayMs].entries())
      expect(atMs - (settled[index - 1] ?? fromMs + settledMs)).to.be.below(300_000)
  })

  it('has bursts of one size, of bundles in one slot, and of many sizes', () => {
    const shares = bursts.map(({ buys }) => {
      const most = (keyOf: (trade: CurveTraded) => unknown) => {
        const counts = new Map<unknown, number>()
        for (const buy of buys) counts.set(keyOf(buy), (counts.get(keyOf(buy)) ?? 0) + 1)
        return Math.max(...counts.values()) / buys.length
      }
      return { sameSize: most(({ quoteRaw }) => quoteRaw), sameSlot: most(({ blockNumber }) => blockNumber) }
    })
    expect(shares.filter(({ sameSize }) => sameSize > 0.8).length).to.be.above(30)
    expect(shares.filter(({ sameSize }) => sameSize < 0.2).length).to.be.above(60)
    expect(shares.filter(({ sameSlot }) => sameSlot > 0.15).length).to.be.above(30)
  })

  it('prices every trade on a curve by the formula, to the last unit, but those of the agent in mayhem mode', () => {
    const found = { tokens: 0, exact: 0, sale: 0, agent: 0 }
    for (const trade of tapes.flatMap(tradesOf)) {
      const formula = formulaOf(trade)
      if (formula === null) expect(trade).to.include({ isMayhem: true, feeRaw: 0n })
      found[formula ?? 'agent']++
    }
    expect(Math.min(found.tokens, found.exact, found.sale)).to.be.above(10_000)
    expect(found.agent).to.be.within(100, 5000)
  })

  it('begins every trade where the one before it ended, and keeps the reserves of a curve together', () => {
    const wrong = tapes.flatMap((tape) => {
      const launch = launchOf(tape)
      let last = { quoteRaw: launch.virtualQuoteRaw, tokenRaw: launch.virtualTokenRaw }
      return tradesOf(tape).filter((trade) => {
        const isLinked = isSame(beforeTrade(trade), last)
        last = afterTrade(last, trade)
        const isWhole =
          trade.virtualTokenRaw - trade.realTokenRaw === unsoldRaw &&
          trade.virtualQuoteRaw - trade.realQuoteRaw === launch.virtualQuoteRaw
        return !(isLinked && isWhole && trade.realQuoteRaw >= 0n && trade.realTokenRaw >= 0n)
      })
    })
    expect(wrong).to.deep.equal([])
  })

  it('has standard curves, some in mayhem mode and some against another coin', () => {
    const standard = tapes.filter((tape) => launchOf(tape).quoteMint === null && !launchOf(tape).isMayhem)
    expect(standard.length / tapes.length).to.be.within(0.9, 0.99)
    expect(standard.flatMap(tradesOf).filter((trade) => !isStandardCurve(trade))).to.deep.equal([])
    const mayhem = tapes.filter((tape) => launchOf(tape).isMayhem)
    const other = tapes.filter((tape) => launchOf(tape).quoteMint !== null)
    expect(Math.min(mayhem.length, other.length)).to.be.above(20)
    expect(other.flatMap(migrationOf).every(({ quoteMint }) => quoteMint !== null)).to.equal(true)
  })

  it('charges the fees of the program on every trade, and cashback on some', () => {
    const trades = tapes.flatMap(tradesOf).filter(({ feeRaw }) => feeRaw > 0n)
    const wrong = trades.filter(({ quoteRaw, feeRaw, creatorFeeRaw }) => {
      const size = quoteRaw < 0n ? -quoteRaw : quoteRaw
      return feeRaw !== feeOf(size, 95n) || creatorFeeRaw !== feeOf(size, 30n)
    })
    expect(wrong).to.deep.equal([])
    expect(trades.filter(({ rewardsRaw }) => rewardsRaw > 0n).length / trades.length).to.be.within(0.03, 0.3)
  })

  it('lets at least 50 curves complete, whose pools open soon and are traded for an hour, some for days', () => {
    const complete = tapes.filter((tape) => completionOf(tape).length > 0)
    expect(complete.length).to.be.above(50)
    const hours: number[] = []
    for (const tape of complete) {
      const [completion] = completionOf(tape)
      const last = tradesOf(tape).at(-1)
      expect(last).to.deep.include({ realTokenRaw: 0n, txHash: completion!.txHash })
      const opened = migrationOf(tape)[0]
      if (!opened) continue
      expect(opened.blockAtMs - completion!.blockAtMs).to.be.within(0, 120_000)
      hours.push((poolTradesOf(tape).at(-1)!.blockAtMs - opened.blockAtMs) / hourMs)
    }
    const long = hours.filter((hour) => hour * hourMs > graduatedLifeMs)
    expect(hours.filter((hour) => hour > 0.8).length).to.be.above(50)
    expect(long.length / hours.length).to.be.within(0.1, 0.4)
  })

  it('opens a pool with what the curve held, and prices every trade in it by the formula', () => {
    let rests = 0
    for (const tape of tapes.filter((each) => migrationOf(each).length > 0)) {
      const [opened] = migrationOf(tape)
      const held = {
        quoteRaw: tradesOf(tape).at(-1)!.realQuoteRaw - opened!.migrationFeeRaw,
        tokenRaw: 206_900_000_000_000n,
      }
      let last = held
      for (const trade of poolTradesOf(tape)) {
        expect(obeysPool(trade)).to.equal(true)
        expect(isSame(beforePoolTrade(trade), last)).to.equal(true)
        last = poolReservesOf(trade)
        if (trade.isBeforeMigration) rests++
      }
      const before = poolTradesOf(tape).findLast(({ isBeforeMigration }) => isBeforeMigration)
      expect(isSame(poolReservesOf(opened!), before ? poolReservesOf(before) : held)).to.equal(true)
    }
    expect(rests).to.be.above(3)
  })

  it('never lets anybody sell what they have not bought', () => {
    const wrong = tapes.flatMap((tape) => {
      const held = new Map<string, bigint>()
      return tape.filter(({ type, data }) => {
        if (type !== 'CurveTraded' && type !== 'PoolTraded') return false
        const left = (held.get(data.trader) ?? 0n) + data.tokenRaw
        held.set(data.trader, left)
        return left < 0n
      })
    })
    expect(wrong).to.deep.equal([])
  })

  it('puts the facts of a slot in order, several events of a transaction among them', () => {
    let shared = 0
    const wrong = facts.filter(({ fact }, index) => {
      const [place, last] = [fact.data, facts[index - 1]?.fact]
      if (!last || last.data.blockNumber !== place.blockNumber)
        return place.blockNumber <= (last?.data.blockNumber ?? 0)
      const isSameSlot = last.data.blockAtMs === place.blockAtMs && last.data.blockHash === place.blockHash
      const isSameTransaction = last.data.txHash === place.txHash
      if (isSameTransaction) shared++
      const isPlaced = isSameTransaction === (last.data.txIndex === place.txIndex)
      return !(isSameSlot && isPlaced && orderInBlock(fact) > orderInBlock(last))
    })
    expect(wrong).to.deep.equal([])
    expect(shared).to.be.above(1000)
  })

  it('has every mint and pool in the book before its trades', () => {
    const { mints, pools } = bookOf(ranges)
    const keyOf = new Map([...mints.keys()].map((mint) => [mint, base58OfHex(mint as `0x${string}`)]))
    expect(new Set(keyOf.values())).to.deep.equal(new Set(facts.map(({ key }) => key)))
    const opened = tapes.flatMap(migrationOf)
    expect([...pools.keys()].sort()).to.deep.equal(opened.map(({ pool }) => pool).sort())
    for (const { mint } of pools.values()) expect(mints.has(mint)).to.equal(true)
  })

  it('has wallets that are worth copying, and wallets that are not', () => {
    const { leaders } = simulatorOver({ seed: 7, fromMs, toMs: fromMs })
    const risesOf = new Map<string, number[]>(leaders.map(({ wallet }) => [wallet, []]))
    const sellers = new Set<string>()
    for (const trades of tapes.map(tradesOf))
      for (const [index, { trader, tokenRaw }] of trades.entries())
        if (tokenRaw < 0n) sellers.add(trader)
        else risesOf.get(trader)?.push(bestRise(trades, index))
    const medianOf = (some: readonly { wallet: string }[]) => {
      const rises = some.flatMap(({ wallet }) => risesOf.get(wallet) ?? []).sort((left, right) => left - right)
      return rises[rises.length >> 1]
    }
    for (const { wallet } of leaders) expect(risesOf.get(wallet)).to.have.length.above(8)
    expect(leaders.every(({ wallet }) => sellers.has(wallet))).to.equal(true)
    expect(medianOf(leaders.filter(({ skill }) => skill > 0.75))).to.be.above(0.3)
    expect(medianOf(leaders.filter(({ skill }) => skill < 0.25))).to.be.below(0.1)
  })
})

/** Returns the largest rise of the price within 15 minutes after a buy. */
function bestRise(trades: readonly CurveTraded[], index: number): number {
  const bought = trades[index] as CurveTraded
  const after = trades.slice(index).filter(({ blockAtMs }) => blockAtMs <= bought.blockAtMs + 900_000)
  const ratioOf = ({ virtualQuoteRaw }: CurveTraded) => (Number(virtualQuoteRaw) / Number(bought.virtualQuoteRaw)) ** 2
  return Math.max(...after.map(ratioOf)) - 1
}
