/**
 * Tests that a stage's records do not depend on which facts share a tick. Only the desk, which simulates
 * trades, depends on it.
 */
import { expect } from 'chai'
import type { RunnableStage } from '../../processors/runtime/runnable-stage.ts'
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import { chainA, chainB } from '../../processors/stages.ts'
import { isTick, type StageTypes } from '../../schemas/stage.ts'
import { isFact, type KeyedRecord } from '../replay/keyed-record.ts'
import { marketFacts } from '../replay/market/market-facts.ts'
import { everyMs, perBlock, recut } from '../replay/recut.ts'
import { curveMarket } from '../support/chain-b/market.ts'

type Records<Types extends StageTypes> = readonly KeyedRecord<Types>[]

/**
 * Removes answers, because their place in the log depends on the ticks. Raises `postedAtMs` where needed, so
 * that posts become known in the order of their times. Otherwise the order would depend on the ticks, because
 * a tick sorts its posts by time.
 */
function withoutAnswers<Types extends StageTypes>(records: Records<Types>): Records<Types> {
  let newestAtMs = 0
  return records.flatMap((keyed) => {
    const { key, record } = keyed
    if (record.type !== 'Mentioned') return isTick(record) || 'blockAtMs' in Object(record.data) ? [keyed] : []
    const data = record.data as Readonly<{ postedAtMs: number }>
    newestAtMs = Math.max(newestAtMs, data.postedAtMs)
    return [{ key, record: { ...record, data: { ...data, postedAtMs: newestAtMs } } }]
  })
}

/**
 * Returns each published record one time. A call is a post about a token. Only its last version counts,
 * because earlier versions depend on the tick in which a post became known.
 */
function toldBy<Types extends StageTypes>({ stage, processors }: RunnableStage<Types>, records: Records<Types>) {
  const driver = createTestDriver<Types>({ stage, processors: processors as never })
  for (const { key, record } of records)
    if (isTick(record)) driver.tick(record.data.blockAtMs, record.data)
    else if (isFact(stage, record)) driver.fact(key, record)
    else driver.answer(key, record)
  const rows = new Map<string, string>()
  for (const { token, record } of driver.outputs()) {
    const { type, data } = record as Readonly<{ type: string; data: Readonly<{ calledAtMs?: number }> }>
    const text = JSON.stringify([token, type, data], (_, value) => (typeof value === 'bigint' ? `${value}` : value))
    rows.set(type === 'Call' ? `Call ${token} ${data.calledAtMs}` : text, text)
  }
  const isDesk = (text: string) => text.includes('"Desk')
  const all = [...rows.values()].sort()
  return { desk: all.filter(isDesk), others: all.filter((text) => !isDesk(text)) }
}

function check<Types extends StageTypes>(stage: RunnableStage<Types>, records: Records<Types>): void {
  const log = withoutAnswers(records)
  const expected = toldBy(stage, log)
  for (const type of ['Call', 'CallScored', 'Burst', 'PriceAsked'])
    expect(
      expected.others.some((text) => text.includes(`"${type}"`)),
      type,
    ).to.equal(true)
  const desks = [perBlock, everyMs(10_000), everyMs(60_000), everyMs(240_000)].map((cut) => {
    const { desk, others } = toldBy(stage, recut(log, cut))
    expect(others).to.deep.equal(expected.others)
    return JSON.stringify(desk)
  })
  expect(expected.desk.length).to.be.above(0)
  expect(new Set(desks).size, 'desks that differ').to.be.above(1)
}

describe('nothing but the desk depends on how a log was cut into ticks', () => {
  for (const seed of [1, 2, 3]) {
    it(`on chain A (market ${seed})`, () => check(chainA, marketFacts(seed, 3, { hasPosts: true })))
    it(`on chain B (market ${seed})`, () => check(chainB, curveMarket(seed, 4, { hasPosts: true })))
  }
})
