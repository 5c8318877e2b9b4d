/**
 * Changes one number of the rules at a time. Such a number says when a record is published, when state is
 * dropped, or how much a lookup asks for. Plain loops over simulated facts compute the expected values.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { parseRules } from '../../infra/parse-rules.ts'
import { followPull, openWatch, scoreWatch, scoringOf } from '../../processors/chain-a/outcomes/outcome.ts'
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import { createChainA } from '../../processors/stages.ts'
import type { Burst, BurstOutcome, ChainADerived } from '../../schemas/chain-a/derived.ts'
import { type ChainAAnswer, type ChainAFact, isAnswer } from '../../schemas/chain-a/facts.ts'
import { chainANumbers } from '../../schemas/chain-a/numbers.ts'
import { marketFacts } from '../replay/market/market-facts.ts'
import { buildCard } from '../support/builders/build-cards.ts'
import {
  buildHash,
  buildPoolCreated,
  buildPoolInitialized,
  buildSwap,
  second,
  testToken,
} from '../support/builders/build-facts.ts'
import { buildMention, buildPriceAnswer } from '../support/builders/build-mentions.ts'

const [minute, hour] = [60_000, 3_600_000]

type Told = Readonly<{ record: ChainADerived; token: string; tickAtMs: number }>
/** A fact, or the answer to a lookup, with the time of the next tick. */
type Heard = Readonly<{ key: string; record: ChainAFact | ChainAAnswer; tickAtMs: number }>

const records = marketFacts(1, 3)

const heard: readonly Heard[] = (() => {
  const all: Heard[] = []
  const open: Omit<Heard, 'tickAtMs'>[] = []
  for (const { key, record } of records)
    if (record.type !== 'Tick') open.push({ key, record })
    else all.push(...open.splice(0).map((one) => ({ ...one, tickAtMs: record.data.blockAtMs })))
  return all
})()

const tickAtMs = records.flatMap(({ record }) => (record.type === 'Tick' ? [record.data.blockAtMs] : []))
const endMs = tickAtMs.at(-1) ?? 0
const firstTickAfter = (atMs: number): number | undefined => tickAtMs.find((tick) => tick > atMs)

function toldBy(chainA: object): readonly Told[] {
  const driver = createTestDriver(createChainA(parseRules(JSON.stringify({ chainA }), 'test')))
  return records.flatMap(({ key, record }): readonly Told[] => {
    if (record.type === 'Tick')
      return driver.tick(record.data.blockAtMs, record.data).map((output) => ({
        ...{ record: output.record, token: output.token, tickAtMs: record.data.blockAtMs },
      }))
    if (isAnswer(record)) driver.answer(key, record)
    else driver.fact(key, record)
    return []
  })
}

function dataOf<Type extends ChainADerived['type']>(told: readonly Told[], type: Type) {
  return told.flatMap(({ record, tickAtMs: at }) =>
    record.type === type ? [{ ...(record.data as Extract<ChainADerived, { type: Type }>['data']), toldAtMs: at }] : [],
  )
}

const factsOf = <Type extends (ChainAFact | ChainAAnswer)['type']>(type: Type) =>
  heard.flatMap(({ record, tickAtMs: at }) =>
    record.type === type
      ? [{ ...(record.data as Extract<ChainAFact | ChainAAnswer, { type: Type }>['data']), heardAtMs: at }]
      : [],
  )

/** Returns what `of` derives with the changed rules `said`. Fails if the default rules give the same result. */
const beside = <Value>(of: (chainA: object) => Value, said: object): Value => {
  const bent = of(said)
  expect(bent, 'the default gives the same').to.not.deep.equal(of({}))
  return bent
}

describe('rules of time and number, counted again', () => {
  it('pools.lifeMs: a pool is closed when it is as old', () => {
    const closed = beside(
      (chainA) => dataOf(toldBy(chainA), 'PoolClosed').map(({ pool, closedAtMs }) => [pool, closedAtMs]),
      { pools: { lifeMs: 25 * hour } },
    )
    const expected = factsOf('PoolCreated').map(({ pool, blockAtMs }) => [pool, blockAtMs + 25 * hour])
    expect(closed).to.have.deep.members(expected.filter(([, atMs]) => Number(atMs) < endMs))
  })

  it('curves.lifeMs: a curve is closed so long after its last fact, or when it is in a pool', () => {
    const lifeMs = 100 * hour
    const closed = beside(
      (chainA) => dataOf(toldBy(chainA), 'CurveClosed').map(({ curve, closedAtMs }) => [curve, closedAtMs]),
      { curves: { lifeMs } },
    )
    const last = new Map<string, number>()
    for (const { record } of heard) if ('curve' in record.data) last.set(record.data.curve, record.data.blockAtMs)
    const graduated = new Map(factsOf('CurveGraduated').map(({ curve, blockAtMs }) => [curve, blockAtMs]))
    const closedAt = ([curve, atMs]: readonly [string, number]) => [
      curve,
      graduated.get(curve as never) ?? atMs + lifeMs,
    ]
    expect(closed).to.have.deep.members([...last].map(closedAt))
  })

  it('curves.feeBuysMax: the fee is the median over so many last buys', () => {
    const feesOf = (chainA: object) =>
      new Map(dataOf(toldBy(chainA), 'LaunchCurve').map(({ curve, feeBps }) => [curve, feeBps]))
    const fees = beside(feesOf, { curves: { feeBuysMax: 2 } })
    for (const [curve, feeBps] of fees) {
      const buys = factsOf('CurveTraded').filter((trade) => trade.curve === curve && trade.ethWei > 0n)
      const last = buys
        .slice(-2)
        .map(({ ethWei, feeWei, taxWei }) => Math.round(Number(feeWei + taxWei) / Number(ethWei) / 1e-4))
      expect(feeBps).to.equal(
        last.length === 0 ? null : Math.round(last.reduce((sum, fee) => sum + fee, 0) / last.length),
      )
    }
  })

  it('buyers.delayMs: the buyers of a burst are told once it is over and they are known', () => {
    const delayMs = 10 * minute
    const told = beside(
      (chainA) =>
        dataOf(toldBy(chainA), 'BurstBuyers').map(({ pool, tier, atMs, toldAtMs }) => ({ pool, tier, atMs, toldAtMs })),
      { buyers: { delayMs } },
    )
    const answers = factsOf('SendersAnswered')
    for (const { pool, tier, atMs, toldAtMs } of told) {
      const answer = answers.find(({ questionId }) => questionId === `${pool}:${tier}:${atMs}`)
      expect(toldAtMs).to.equal(Math.max(firstTickAfter(atMs + delayMs) ?? 0, answer?.heardAtMs ?? 0))
    }
    expect(told).to.have.length.above(2)
  })

  it('liquidity.delayMs: who holds the liquidity of a burst is told first once it is over', () => {
    const delayMs = 10 * minute
    const firsts = (chainA: object) => {
      const first = new Map<string, number>()
      for (const { pool, tier, atMs, toldAtMs } of dataOf(toldBy(chainA), 'BurstLp'))
        if (!first.has(`${pool} ${tier} ${atMs}`)) first.set(`${pool} ${tier} ${atMs}`, toldAtMs)
      return first
    }
    const told = beside(firsts, { liquidity: { delayMs } })
    for (const [name, toldAtMs] of told) expect(toldAtMs).to.equal(firstTickAfter(Number(name.split(' ')[2]) + delayMs))
    expect(told.size).to.be.above(2)
  })

  it('liquidity.askedPositionsMax: so many owners are asked for at most', () => {
    const counts = (chainA: object) =>
      dataOf(toldBy(chainA), 'OwnersAsked').map(({ positionIds }) => positionIds.length)
    const standard = counts({})
    expect(beside(counts, { liquidity: { askedPositionsMax: 1 } })).to.deep.equal(
      standard.map((count) => Math.min(count, 1)),
    )
  })

  for (const [path, every, most] of [
    ['checkEveryMs', 25 * minute, 6 * hour],
    ['checkedMsMax', 10 * minute, hour],
  ] as const)
    it(`liquidity.${path}: a pool is profiled at each multiple of its age, while it is younger than the limit`, () => {
      const checks = (chainA: object) =>
        new Set(
          // The stage also profiles a pool when its liquidity changes.
          dataOf(toldBy(chainA), 'PoolProfile').flatMap(({ pool, createdAtMs, checkedAtMs }) =>
            (checkedAtMs - createdAtMs) % every === 0 ? [`${pool} ${checkedAtMs}`] : [],
          ),
        )
      const profiled = beside(checks, { liquidity: { checkEveryMs: every, checkedMsMax: most } })
      const expected = factsOf('PoolCreated').flatMap(({ pool, blockAtMs }) =>
        Array.from({ length: Math.ceil(most / every) }, (_, count) => `${pool} ${blockAtMs + count * every}`),
      )
      expect([...profiled].sort()).to.deep.equal(expected.sort())
    })
})

type Drawn = Readonly<{ atSec: number; record: ChainAFact | ChainAAnswer }>

/**
 * Runs the stage over the records of one token. There is a tick after each second that has a record, and at
 * each of `tickSec`.
 */
function tellOf(said: object, all: readonly Drawn[], tickSec: readonly number[]): readonly Told[] {
  const driver = createTestDriver(createChainA(parseRules(JSON.stringify(said), 'test')))
  const seconds = [...new Set([...all.map(({ atSec }) => atSec), ...tickSec])].sort((one, other) => one - other)
  return seconds.flatMap((atSec) => {
    for (const { record } of all.filter((one) => one.atSec === atSec))
      if (isAnswer(record)) driver.answer(testToken, record)
      else driver.fact(testToken, record)
    return driver.tick(second(atSec)).map(({ record, token }) => ({ record, token, tickAtMs: second(atSec) }))
  })
}

const everyMinute = Array.from({ length: 30 }, (_, count) => 60 * count + 1)

describe('rules of calls, counted again on drawn markets', () => {
  //   second   0         10     100
  //   pool     created   post   first price
  it('anchorLimitMs: the first price counts up to so long after the post', () => {
    const place = (atSec: number) => ({ blockAtMs: second(atSec) })
    const drawn: readonly Drawn[] = [
      { atSec: 0, record: buildPoolCreated({ dex: 'v3', sqrtPriceX96: null, ...place(0) }) },
      { atSec: 10, record: buildMention({ postedAtMs: second(10) }) },
      { atSec: 100, record: buildPoolInitialized(place(100)) },
    ]
    const anchorOf = (anchorLimitMs: number) =>
      dataOf(tellOf({ calls: { anchorLimitMs } }, drawn, everyMinute), 'Call').at(-1)?.anchor?.atMs ?? null
    for (const limitSec of [30, 89, 90, 91, 120])
      expect(anchorOf(1000 * limitSec)).to.equal(limitSec >= 90 ? second(100) : null)
  })

  it('sendersAskedMax: the senders of so many transactions are asked for, the newest', () => {
    const hashes = [1, 2, 3, 4, 5].map((index) => buildHash(0xaa00 + index))
    const drawn: readonly Drawn[] = [
      { atSec: 0, record: buildPoolCreated({ blockAtMs: second(0) }) },
      ...hashes.map((txHash, index) => ({
        atSec: 20 + index,
        record: buildSwap({ eth: 0.1, blockAtMs: second(20 + index), txHash }),
      })),
      { atSec: 60, record: buildMention({ postedAtMs: second(60) }) },
    ]
    for (const sendersAskedMax of [1, 2, 5, 6]) {
      const [question] = dataOf(tellOf({ calls: { sendersAskedMax } }, drawn, everyMinute), 'PrecallSendersAsked')
      expect(question?.txHashes).to.deep.equal(hashes.slice(-sendersAskedMax))
    }
  })

  it('askedSampleMs: a price is asked for as one that is of use so long after its sample', () => {
    const drawn = [
      { atSec: 5, record: buildMention({ postedAtMs: second(5) }) },
      { atSec: 8, record: buildPriceAnswer(`${testToken}:${second(5)}`, 2) },
    ]
    for (const askedSampleMs of [60_000, 300_000]) {
      const asked = dataOf(tellOf({ calls: { askedSampleMs } }, drawn, everyMinute), 'PriceAsked')
      const ofSample = asked.filter(({ atMs }) => atMs === second(605))
      expect(ofSample.map(({ usefulMs }) => usefulMs)).to.deep.equal([askedSampleMs])
    }
  })

  it('grades.cardMs: a card counts for so long', () => {
    const card = (bot: string, atSec: number) => ({
      atSec,
      record: buildCard({
        bot,
        top10Pct: bot === 'one' ? 0.6 : 0.1,
        postedAtMs: second(atSec),
        seenAtMs: second(atSec),
      }),
    })
    for (const cardHours of [2, 5]) {
      const hours = Array.from({ length: 10 }, (_, count) => 3600 * count + 2)
      const said = { calls: { grades: { cardMs: cardHours * hour } } }
      const told = dataOf(tellOf(said, [card('one', 1), card('two', 3601)], hours), 'ScannerGrade')
      expect(told.map(({ bots, toldAtMs }) => [bots.join(' '), (toldAtMs - second(0)) / 1000])).to.deep.equal([
        ['one', 1],
        ['one two', 3601],
        ['two', 3600 * cardHours + 2],
      ])
    }
  })
})

describe('outcomes.rugLeftRatioMax, counted again', () => {
  it('is what is left at a rug', () =>
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.3, max: 1.2, noNaN: true }), { maxLength: 8 }),
        fc.constantFrom(0.2, 0.5, 0.05),
        (ratios, most) => {
          const scoring = scoringOf({ ...chainANumbers.outcomes, rugLeftRatioMax: most })
          const burst = { pool: '0x', tier: 'main', atMs: 0, px: 1 } as unknown as Burst
          const watch = openWatch(burst, scoring)
          for (const [index, ratio] of ratios.entries())
            followPull(watch, { atMs: (index + 1) * minute, ratio }, scoring)
          let [left, rug]: [number, BurstOutcome['rug']] = [1, null]
          for (const [index, ratio] of ratios.entries()) {
            left *= ratio
            if (rug === null && left <= most + 1e-12) rug = { atSec: 60 * (index + 1), lpRemoved: 1 - left }
          }
          expect(scoreWatch(watch, scoring).rug).to.deep.equal(rug)
        },
      ),
    ))
})
