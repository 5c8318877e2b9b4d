import { expect } from 'chai'
import fc from 'fast-check'
import { decodeLogs } from '../../../../ingest/chain-a/decode/decode-logs.ts'
import { launchpadsOf } from '../../../../ingest/chain-a/launchpads/configured.ts'
import { chainAContracts } from '../../../../ingest/chain-a/presets.ts'
import { curves } from '../../../../processors/chain-a/curves/processor.ts'
import { curveMarketCapEth, curveProgress } from '../../../../schemas/chain-a/curve.ts'
import { curveLifeMs } from '../../../../schemas/chain-a/curve-life.ts'
import type { ChainADerived, LaunchCurve } from '../../../../schemas/chain-a/derived.ts'
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import { readRecorded } from '../../../ingest/chain-a/build-log.ts'
import { bookWith } from '../../../ingest/known-of.ts'
import {
  buildCurveCompleted,
  buildCurveFound,
  buildCurveGraduated,
  buildCurveLaunched,
  buildCurveTraded,
  testCurve,
} from '../../../support/builders/build-curves.ts'
import { buildAddress, buildPoolCreated, second, weiOf } from '../../../support/builders/build-facts.ts'
import { type Event, given } from '../../../support/given-chain-a.ts'

const launched = buildCurveLaunched({ blockAtMs: second(0) })
const at = (atSec: number) => ({ blockAtMs: second(atSec) })

const rowsOf = (records: readonly ChainADerived[]): LaunchCurve[] =>
  records.flatMap(({ type, data }) => (type === 'LaunchCurve' ? [data] : []))

/** Shows all versions of the curve. `1.5 open #1010` is the reserve in ETH, the state, and the block. */
const versions = (records: readonly ChainADerived[]): string[] =>
  rowsOf(records).map(({ reserveWei, completed, gradBlock, readBlock }) => {
    const state = gradBlock !== null ? `graduated in ${gradBlock}` : completed ? 'full' : 'open'
    return `${Number(reserveWei) / 1e18} ${state} #${readBlock}`
  })

const outputsOf = (facts: readonly Event[]) =>
  given(curves, [launched])
    .when(...facts)
    .wokenAt(second(3600))
    .driver.outputs()
    .map(({ record }) => record)

describe('a launchpad’s curve', () => {
  it('is published with its terms at the end of the block that launched it', () => {
    given(curves)
      .when(launched)
      .emits([
        {
          type: 'LaunchCurve',
          data: {
            curve: testCurve,
            launchpad: 'pons-v2',
            symbol: 'TEST',
            creator: buildAddress(0xc0),
            launchBlock: 1000,
            launchAtMs: second(0),
            graduationWei: weiOf(4.2),
            phantomWei: weiOf(1.68),
            supplyRaw: 10n ** 27n,
            completed: false,
            gradBlock: null,
            reserveWei: 0n,
            feeBps: null,
            readBlock: 1000,
            readAtMs: second(0),
          },
        },
      ])
  })

  it('keeps what is paid in without fees, and loses what is paid out with them', () => {
    const buy = buildCurveTraded({ ...at(5), ethWei: 1000n, feeWei: 10n, taxWei: 20n })
    const sell = buildCurveTraded({ ...at(6), ethWei: -500n, feeWei: 5n, taxWei: 10n })
    expect(rowsOf(outputsOf([buy, sell])).at(-1)?.reserveWei).to.equal(970n - 515n)
  })

  it('tells of a trade at the end of its block, and of those within 10 s of it together', () => {
    //   launch 0   3   7  10     12     17     31
    //   told   0             7             12  31
    const trades = [3, 7, 12, 31].map((atSec) => buildCurveTraded({ ...at(atSec), feeWei: 0n, eth: 1 }))
    expect(versions(outputsOf(trades))).to.deep.equal(['0 open #1000', '2 open #1007', '3 open #1012', '4 open #1031'])
    const then = given(curves, [launched]).when(buildCurveTraded(at(3)))
    then.wokenAt(second(10) - 1).emits([])
    expect(then.wokenAt(second(10)).records).to.have.length(1)
  })

  it('tells of completion at the end of its block, and of nothing again where nothing came after', () => {
    const facts = [buildCurveTraded({ ...at(3), eth: 4.2, feeWei: 0n }), buildCurveCompleted(at(3))]
    expect(versions(outputsOf(facts))).to.deep.equal(['0 open #1000', '4.2 full #1003'])
  })

  it('does not tell of a trade in the time of one that was told with something else since', () => {
    //   launch 0   3     5    7   10      15
    //   told   0   full: 3 5         7
    const past = [launched, buildCurveTraded(at(3)), buildCurveCompleted(at(5))]
    const then = given(curves, past).when(buildCurveTraded(at(7)))
    then.wokenAt(second(10)).emits([])
    expect(versions(then.wokenAt(second(15)).records)).to.have.length(1)
    const inOneSecond = [
      buildCurveTraded({ ...at(0), blockNumber: 1001 }),
      buildCurveCompleted({ ...at(0), blockNumber: 1002 }),
    ]
    const whole = given(curves, [launched]).when(...inOneSecond)
    whole.wokenAt(second(10)).emits([])
  })

  it('is told a last time when its liquidity is in a pool, and forgotten', () => {
    const facts = [buildCurveCompleted(at(3)), buildCurveGraduated(at(65)), buildCurveTraded(at(70))]
    const records = outputsOf(facts)
    expect(versions(records)).to.deep.equal(['0 open #1000', '0 full #1003', '0 graduated in 1065 #1065'])
    expect(records.at(-1)).to.deep.equal({ type: 'CurveClosed', data: { curve: testCurve, closedAtMs: second(65) } })
    const { driver } = given(curves, [launched, ...facts]).wokenAt(second(0) + curveLifeMs)
    expect(driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })

  it('counts as full when it graduated, whatever was seen before', () => {
    const last = rowsOf(outputsOf([buildCurveGraduated(at(5))])).at(-1)
    expect(last?.completed).to.equal(true)
  })

  it('is forgotten 7 days after its last trade, and not before', () => {
    const day = 86_400
    const trade = buildCurveTraded(at(5 * day))
    const then = given(curves, [launched]).when(trade)
    expect(versions(then.records)).to.have.length(1)
    then.wokenAt(second(12 * day) - 1).emits([])
    then
      .wokenAt(second(12 * day))
      .emits([{ type: 'CurveClosed', data: { curve: testCurve, closedAtMs: second(12 * day) } }])
    expect(then.driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })

  it('waits for the end of its life with one timer, however many trades there are', () => {
    const trades = [3, 30, 60].map((atSec) => buildCurveTraded(at(atSec)))
    const then = given(curves, [launched, ...trades]).wokenAt(second(100))
    expect(then.driver.counts()).to.deep.equal({ tokens: 1, timers: 1 })
  })

  it('that was found goes on from what the node said was in it', () => {
    const found = buildCurveFound({ ...at(10), reserveWei: weiOf(2) })
    const then = given(curves, [found]).when(buildCurveTraded({ ...at(20), eth: 1, feeWei: 0n }))
    expect(
      versions(
        then
          .wokenAt(second(60))
          .driver.outputs()
          .map(({ record }) => record),
      ),
    ).to.deep.equal(['2 open #1010', '3 open #1020'])
  })

  it('that is found again is what that fact says, and its fee still that of all its last buys', () => {
    const found = buildCurveFound({ ...at(10), reserveWei: weiOf(2), launchBlock: 1000, launchAtMs: second(0) })
    const buys = [buildCurveTraded(at(5)), buildCurveTraded({ ...at(10), eth: 1, feeWei: weiOf(0.5) })]
    const last = rowsOf(outputsOf([buys[0]!, found, buys[1]!])).at(-1)
    expect(last).to.include({ reserveWei: weiOf(2.5), launchBlock: 1000, launchAtMs: second(0), feeBps: 2550 })
  })

  it('is the first of a token: facts of others, and of none that is known, change nothing', () => {
    const other = { ...at(5), curve: buildAddress(0xdf) }
    given(curves, [launched])
      .when(buildCurveLaunched(other), buildCurveTraded(other), buildPoolCreated(at(5)))
      .emits([])
    given(curves)
      .when(buildCurveTraded(at(5)), buildCurveCompleted(at(6)))
      .emits([])
  })

  it('has the same reserve, fees, state and block after facts that are ignored', () => {
    const other = { curve: buildAddress(0xdf) }
    const ignored = [
      buildCurveLaunched({ ...at(11), ...other }),
      buildCurveLaunched(at(12)),
      buildCurveTraded({ ...at(13), ...other, eth: 3, feeWei: weiOf(1) }),
      buildCurveFound({ ...at(14), ...other, reserveWei: weiOf(4) }),
      buildCurveCompleted({ ...at(15), ...other }),
      buildCurveGraduated({ ...at(16), ...other }),
    ]
    const [before, after] = [buildCurveTraded({ ...at(5), eth: 1 }), buildCurveTraded({ ...at(20), eth: 1 })]
    const [plain, last] = [[], ignored].map((between) => rowsOf(outputsOf([before, ...between, after])).at(-1))
    expect(last).to.deep.equal(plain)
    expect(last).to.deep.include({ reserveWei: weiOf(1.98), feeBps: 100, completed: false, readBlock: 1020 })
    const [untouched] = rowsOf(outputsOf([before, ...ignored.filter(({ data }) => data.curve === other.curve)])).slice(
      -1,
    )
    expect(untouched).to.deep.include({ reserveWei: weiOf(0.99), readBlock: 1005, readAtMs: second(5) })
  })
})

describe('the fee of a curve', () => {
  const feeOf = (...feesWei: readonly number[]) =>
    rowsOf(
      outputsOf(
        feesWei.map((feeWei, index) =>
          buildCurveTraded({ ...at(index + 1), ethWei: 100_000n, feeWei: BigInt(feeWei), taxWei: 0n }),
        ),
      ),
    ).at(-1)?.feeBps

  it('is the median of the buys in whole basis points', () => {
    expect(feeOf(1000, 9000, 1100)).to.equal(110)
    expect(feeOf(1000, 2010)).to.equal(151)
    expect(feeOf(1004)).to.equal(100)
    expect(feeOf(1005)).to.equal(101)
  })

  it('is that of the last 30', () => {
    const cheap = Array.from({ length: 15 }, () => 1000)
    expect(feeOf(...Array.from({ length: 30 }, () => 90_000), ...cheap)).to.equal((100 + 9000) / 2)
    expect(feeOf(...Array.from({ length: 30 }, () => 90_000), ...cheap, 1000)).to.equal(100)
  })

  it('is not that of a trade that paid nothing', () => {
    const nothing = buildCurveTraded({ ...at(2), ethWei: 0n, feeWei: 10n, taxWei: 0n })
    const last = rowsOf(
      outputsOf([buildCurveTraded({ ...at(1), ethWei: 1000n, feeWei: 10n, taxWei: 0n }), nothing]),
    ).at(-1)
    expect(last).to.include({ reserveWei: 980n, feeBps: 100 })
    const least = buildCurveTraded({ ...at(1), ethWei: 1n, feeWei: 1n, taxWei: 0n })
    expect(rowsOf(outputsOf([least])).at(-1)?.feeBps).to.equal(10_000)
  })

  it('counts the creator’s tax, and no sells', () => {
    const buy = buildCurveTraded({ ...at(1), ethWei: 1000n, feeWei: 10n, taxWei: 20n })
    const sell = buildCurveTraded({ ...at(2), ethWei: -1000n, feeWei: 500n, taxWei: 0n })
    expect(rowsOf(outputsOf([buy, sell])).at(-1)?.feeBps).to.equal(300)
  })
})

describe('the recorded launches', () => {
  const contracts = chainAContracts('robinhood')
  const { facts } = decodeLogs(readRecorded('robinhood-pons'), {
    ...{ contracts, book: bookWith() },
    curves: { launchpads: launchpadsOf(contracts), found: new Map(), isRefused: () => false },
    blockAtMsOf: (log) => Number(log.blockTimestamp) * 1000,
  })

  /**
   * Adds the phantom reserve and the supply of the curve. They are in the contract's state and not in its
   * logs. All native launches have the same values.
   */
  const withTerms = (fact: ChainAFact): ChainAFact =>
    fact.type === 'CurveLaunched'
      ? { type: fact.type, data: { ...fact.data, phantomWei: weiOf(1.68), supplyRaw: 10n ** 27n } }
      : fact

  const lastOf = (token: string): LaunchCurve => {
    const its = facts.flatMap((told) => (told.key === token ? [withTerms(told.fact)] : []))
    const then = given(curves).when(...its)
    const last = rowsOf([...then.records, ...then.wokenAt((its[0]?.data.blockAtMs ?? 0) + 60_000).records]).at(-1)
    return last ?? expect.fail(`no curve of ${token}`)
  }
  const [full, bought, quiet] = [...new Set(facts.map(({ key }) => key))].map(lastOf) as [
    LaunchCurve,
    LaunchCurve,
    LaunchCurve,
  ]

  it('complete at 4.2 ETH and 2 wei, all of it sold in the block of the launch', () => {
    expect([full.reserveWei, full.completed, full.gradBlock]).to.deep.equal([4_200_000_000_000_000_002n, true, null])
    expect([full.launchBlock, full.readBlock]).to.deep.equal([47_782_945, 47_782_945])
    expect(curveProgress(full)).to.equal(1)
    expect(curveMarketCapEth(full)).to.be.closeTo(20.58, 1e-9)
    expect(full.feeBps).to.equal(200)
  })

  it('stand at what was bought, fees taken off', () => {
    const trade = facts.flatMap(({ fact }) =>
      fact.type === 'CurveTraded' && fact.data.curve === bought.curve ? [fact.data] : [],
    )
    expect(trade.map(({ ethWei }) => ethWei)).to.deep.equal([90_000_000_000_000_000n])
    const [{ feeWei, taxWei }] = trade as [(typeof trade)[number]]
    expect(bought.reserveWei).to.equal(90_000_000_000_000_000n - feeWei - taxWei)
    expect(curveProgress(bought)).to.be.closeTo(Number(bought.reserveWei) / 4.2e18, 1e-12)
    expect([bought.completed, quiet.reserveWei, quiet.feeBps]).to.deep.equal([false, 0n, null])
    expect(curveMarketCapEth(quiet)).to.be.closeTo(1.68, 1e-12)
  })
})

/**
 * Each trade is its wei, its fee in wei, and the seconds since the trade before it. Positive wei are paid in,
 * and negative wei are paid out.
 */
const anyTrades = fc.array(
  fc.tuple(
    fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }),
    fc.bigInt({ min: 0n, max: 9999n }),
    fc.oneof(fc.nat(25), fc.nat(90_000)),
  ),
  { minLength: 2, maxLength: 40 },
)
type AnyTrades = readonly (readonly [ethWei: bigint, feeWei: bigint, gapSec: number])[]

/**
 * Builds the trades. If `isFound` is true for the first trade of a block, a `CurveFound` precedes this trade.
 */
function tradedWithFinds(trades: AnyTrades, isFound: (index: number) => boolean) {
  let [atSec, reserveWei] = [1, 0n]
  return trades.flatMap(([ethWei, feeWei, gapSec], index) => {
    atSec += gapSec
    const trade = buildCurveTraded({ ...at(atSec), ethWei, feeWei })
    const found = buildCurveFound({ ...at(atSec), reserveWei, launchBlock: 1000, launchAtMs: second(0) })
    reserveWei += ethWei - feeWei
    return index > 0 && gapSec > 0 && isFound(index) ? [found, trade] : [trade]
  })
}

describe('a curve that is found again', () => {
  const endMs = second(40 * 90_000) + curveLifeMs
  const foldedFrom = (past: readonly Event[], facts: readonly Event[]) =>
    given(curves, past)
      .when(...facts)
      .wokenAt(endMs)
      .driver.outputs()
      .map(({ record }) => record)
  /** Returns the last version of the curve in each block. */
  const byBlock = (records: readonly ChainADerived[]) => new Map(rowsOf(records).map((row) => [row.readBlock, row]))
  const withoutFees = (records: readonly ChainADerived[]) =>
    records.map(({ type, data }) => ({ type, data: { ...data, feeBps: null } }))

  it('is at every block what one is that was not, its fee too, whatever was found when', () =>
    fc.assert(
      fc.property(anyTrades, fc.func(fc.boolean()), (trades, isFound) => {
        const unfound = byBlock(
          foldedFrom(
            [launched],
            tradedWithFinds(trades, () => false),
          ),
        )
        const found = byBlock(foldedFrom([launched], tradedWithFinds(trades, isFound)))
        expect([...found.keys()].at(-1)).to.equal([...unfound.keys()].at(-1))
        for (const [block, row] of found) if (unfound.has(block)) expect(row).to.deep.equal(unfound.get(block))
      }),
      { numRuns: 100 },
    ))

  it('derives from there on what whoever knows nothing older of it derives, but for the fees of buys before', () =>
    fc.assert(
      fc.property(anyTrades, fc.func(fc.boolean()), (trades, isFound) => {
        const facts = tradedWithFinds(trades, isFound)
        const whole = withoutFees(foldedFrom([launched], facts))
        for (const [index, found] of facts.entries()) {
          if (found.type !== 'CurveFound') continue
          const before = given(curves, [launched])
            .when(...facts.slice(0, index))
            .wokenAt(found.data.blockAtMs - 1)
            .driver.outputs()
          expect(whole.slice(before.length)).to.deep.equal(withoutFees(foldedFrom([], facts.slice(index))))
        }
      }),
      { numRuns: 100 },
    ))
})

describe('any trades of a curve', () => {
  it('leave in it what came in and out, counted all together', () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.nat(9999), fc.nat(25)), {
          minLength: 1,
          maxLength: 60,
        }),
        (trades) => {
          let atSec = 1
          const facts = trades.map(([ethWei, fee, gap]) => {
            atSec += gap
            return buildCurveTraded({ ...at(atSec), ethWei, feeWei: BigInt(fee), taxWei: BigInt(fee % 7) })
          })
          const fees = facts.reduce((sum, { data }) => sum + data.feeWei + data.taxWei, 0n)
          const eth = facts.reduce((sum, { data }) => sum + data.ethWei, 0n)
          expect(rowsOf(outputsOf(facts)).at(-1)?.reserveWei).to.equal(eth - fees)
        },
      ),
      { numRuns: 50 },
    ))
})
