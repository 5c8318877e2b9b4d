import { AssertionError } from 'node:assert'
import { expect } from 'chai'
import fc from 'fast-check'
import { createTestDriver, type TestDriver } from '../../../processors/runtime/test-driver.ts'
import { isTick } from '../../../schemas/stage.ts'
import { isFact, type KeyedRecord } from '../../replay/keyed-record.ts'
import { paidIn, randomFacts } from '../../replay/toy/toy-facts.ts'
import { type ToyTypes, toyStage } from '../../replay/toy/toy-records.ts'
import { balances, toy } from '../../replay/toy/toy-stage.ts'
import { second, testStartAtMs } from '../../support/builders/build-facts.ts'
import { createGiven } from '../../support/given.ts'

const account = 'ada'

describe('test driver', () => {
  it('gives the records of each tick, and all of them', () => {
    const driver = createTestDriver(toy)
    driver.fact(account, paidIn({ blockAtMs: second(1) }))
    const closed = driver.tick(second(1))
    expect(closed.map(({ record }) => record.type)).to.deep.equal(['Balance'])
    driver.tick(second(9))
    expect(driver.outputs()).to.have.length(3)
    expect(driver.outputs().slice(0, 1)).to.deep.equal(closed)
  })

  it('refuses a fact behind its clock', () => {
    const driver = createTestDriver(toy)
    driver.tick(second(9))
    driver.fact(account, paidIn({ blockAtMs: second(8) }))
    expect(() => driver.tick(second(10))).to.throw(AssertionError)
  })

  it('gives the same after a restart at every tick', () => {
    const drive = (records: readonly KeyedRecord<ToyTypes>[], restarts: boolean) => {
      const driver = createTestDriver(toy)
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

/** Returns true after a tick. */
function pipe(driver: TestDriver<ToyTypes>, { key, record }: KeyedRecord<ToyTypes>): boolean {
  if (isTick(record)) driver.tick(record.data.blockAtMs, record.data)
  else if (isFact(toyStage, record)) driver.fact(key, record)
  else driver.answer(key, record)
  return isTick(record)
}

describe('given', () => {
  const given = createGiven({ stage: toyStage, token: account, startAtMs: testStartAtMs })
  const balanceAt = (atSecond: number, payments: number): ToyTypes['derived'] => ({
    type: 'Balance',
    data: { asOfMs: second(atSecond), amount: BigInt(payments), payments },
  })

  it('shows what came of the event, not of the past', () => {
    given(balances, [paidIn({ blockAtMs: second(1) })])
      .when(paidIn({ blockAtMs: second(2) }))
      .emits([balanceAt(2, 2)])
  })

  it('judges an event in the last block of the past together with it', () => {
    given(balances, [paidIn({ blockAtMs: second(1) })])
      .when(paidIn({ blockAtMs: second(1) }))
      .emits([balanceAt(1, 2)])
  })

  it('lets timers due at the instant fire', () => {
    const then = given(balances, [paidIn({ blockAtMs: second(1) })]).wokenAt(second(8) - 1)
    then.emits([])
    then.wokenAt(second(8)).emits([balanceAt(8, 1)])
  })

  it('fails where something else came', () => {
    const then = given(balances).when(paidIn({ blockAtMs: second(2) }))
    expect(() => then.emits([])).to.throw('deeply equal')
    expect(() => then.emits([balanceAt(2, 2)])).to.throw('deeply equal')
  })
})
