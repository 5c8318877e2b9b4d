import { expect } from 'chai'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { type KnownRecord, readKnown } from '../../../processors/backtest/read-known.ts'
import { chainB } from '../../../processors/stages.ts'
import { isTick } from '../../../schemas/stage.ts'
import { dayMs } from '../../../schemas/units.ts'
import { expectFailure } from '../../contracts/log-contract.ts'
import { appendFacts, inBatchesOf, openStage } from '../../replay/stage-log.ts'
import { reorgedCurveMarket } from '../../support/chain-b/market.ts'

const partition = 0

/** A log whose first half is much older than its second half, and a reader of it in small batches. */
async function halvedLog() {
  const open = await openStage(chainB)
  const records = reorgedCurveMarket(1, [])
  const ticks = records.flatMap(({ record }, index) => (isTick(record) ? [index] : []))
  const half = (ticks[Math.floor(ticks.length / 2)] ?? 0) + 1
  let nowMs = 0
  const log = createMemoryLog({ nowMs: () => nowMs })
  await appendFacts({ ...open, log, partition }, records.slice(0, half))
  nowMs += 60 * dayMs
  await appendFacts({ ...open, log, partition }, records.slice(half))
  const read = () =>
    readKnown(open.stage.factTopic.name, {
      ...{ log: inBatchesOf(log, 1), codec: open.factCodec, partition, isWanted: () => true },
      range: { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER },
    })
  return { read, count: records.length, half, log, later: (afterMs: number) => log.maintain(nowMs + afterMs) }
}

async function countOf(records: AsyncIterable<KnownRecord>): Promise<number> {
  let count = 0
  for await (const _ of records) count++
  return count
}

describe('the records of a backtest', () => {
  it('are all read while nothing is removed', async () => {
    const { read, count } = await halvedLog()
    expect(await countOf(read())).to.equal(count)
  })

  it('begin where the log begins, if retention removed records before they were read', async () => {
    const { read, count, half, later } = await halvedLog()
    await later(0)
    expect(await countOf(read())).to.equal(count - half)
  })

  for (const [what, afterMs] of [
    ['some of them', 0],
    ['all of them', 60 * dayMs],
  ] as const)
    it(`are refused if retention removes ${what} while they are read`, async () => {
      const { read, later } = await halvedLog()
      const records = read()
      await records.next()
      await later(afterMs)
      await expectFailure(countOf(records), 'range_not_held')
    })
})
