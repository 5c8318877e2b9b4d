import { AssertionError } from 'node:assert'
import { expect } from 'chai'
import fc from 'fast-check'
import { createTestDriver, type TestDriver } from '../../../processors/runtime/test-driver.ts'
import type { Token } from '../../../processors/runtime/token-book.ts'
import { isAnswer } from '../../../schemas/chain-a/facts.ts'
import type { KeyedRecord } from '../../replay/recut.ts'
import { randomFacts, toyStage } from '../../replay/toy-stage.ts'
import { buildSwap, second, testToken } from '../../support/build-facts.ts'
import { given } from '../../support/given.ts'

describe('test driver', () => {
  it('gives the records of each tick, and all of them', () => {
    const driver = createTestDriver(toyStage)
    driver.fact(testToken, buildSwap({ blockAtMs: second(1) }))
    const closed = driver.tick(second(1))
    expect(closed.map(({ record }) => record.type)).to.deep.equal(['PoolMinute'])
    driver.tick(second(9))
    expect(driver.outputs()).to.have.length(3)
    expect(driver.outputs().slice(0, 1)).to.deep.equal(closed)
  })

  it('refuses a fact behind its clock', () => {
    const driver = createTestDriver(toyStage)
    driver.tick(second(9))
    driver.fact(testToken, buildSwap({ blockAtMs: second(8) }))
    expect(() => driver.tick(second(10))).to.throw(AssertionError)
  })

  it('gives the same after a restart at every tick', () => {
    const drive = (records: readonly KeyedRecord[], restarts: boolean) => {
      const driver = createTestDriver(toyStage)
      for (const keyed of records) if (pipe(driver, keyed) && restarts) driver.restart()
      return driver.outputs()
    }
    fc.assert(
      fc.property(randomFacts({ hasAnswers: true }), (records) => {
        expect(drive(records, true)).to.deep.equal(drive(records, false))
      }),
    )
  })
})

/** True after a tick. */
function pipe(driver: TestDriver, { key, record }: KeyedRecord): boolean {
  if (record.type === 'Tick') driver.tick(record.data.blockAtMs, record.data)
  else if (isAnswer(record)) driver.answer(key as Token, record)
  else driver.fact(key as Token, record)
  return record.type === 'Tick'
}

describe('given', () => {
  const [totals] = toyStage
  const minuteAt = (atSecond: number, buys: number) => ({
    type: 'PoolMinute' as const,
    data: {
      pool: '0xaa' as const,
      minuteAtMs: second(atSecond),
      buyWei: 10n ** 17n * BigInt(buys),
      sellWei: 0n,
      buys,
      sells: 0,
      lastPx: null,
      lastSwapAtMs: null,
      liqEth: 0,
    },
  })

  it('shows what came of the event, not of the past', () => {
    given(totals!, [buildSwap({ blockAtMs: second(1) })])
      .when(buildSwap({ blockAtMs: second(2) }))
      .emits([minuteAt(2, 2)])
  })

  it('judges an event in the last block of the past together with it', () => {
    given(totals!, [buildSwap({ blockAtMs: second(1) })])
      .when(buildSwap({ blockAtMs: second(1) }))
      .emits([minuteAt(1, 2)])
  })

  it('lets timers due at the instant fire', () => {
    const then = given(totals!, [buildSwap({ blockAtMs: second(1) })]).wokenAt(second(8) - 1)
    then.emits([])
    then.wokenAt(second(8)).emits([minuteAt(8, 1)])
  })

  it('fails where something else came', () => {
    const then = given(totals!).when(buildSwap({ blockAtMs: second(2) }))
    expect(() => then.emits([])).to.throw('deeply equal')
    expect(() => then.emits([minuteAt(2, 2)])).to.throw('deeply equal')
  })
})
