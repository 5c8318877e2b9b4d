import { expect } from 'chai'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { replay } from '../../../infra/replay/replay.ts'
import { buildTick, second } from '../../support/builders/build-facts.ts'
import { buildCurveTraded } from '../../support/chain-b/build-facts.ts'
import { asReplayLog, type Step, writeSteps } from './drawn-log.ts'

/** A step of chain B in which these trades became known 2 s after the second. */
const stepOf = (seq: number, atSecond: number, trades: readonly ReturnType<typeof buildCurveTraded>[]): Step => ({
  records: trades.map((trade) => ({ topic: 'chain-b-facts', partition: 1, ...trade })),
  tick: ['chain-b-facts', 'chain-b-derived'].flatMap((topic) =>
    [0, 1, 2, 3].map((partition) => ({
      ...{ topic, partition, type: 'Tick' },
      data: buildTick({ seq, blockAtMs: second(atSecond), knownAtMs: second(atSecond + 2) }),
    })),
  ),
})

describe('the event time of a replayed fact', () => {
  it('is the time of the trade if the trade was read late, and the place is that of its publication', async () => {
    const place = (logIndex: number) => ({ blockNumber: 60, blockAtMs: second(20), txIndex: 0, logIndex })
    const late = buildCurveTraded({ ...place(1), lateSlot: 30, lateAtMs: second(10) })
    const log = createMemoryLog({ nowMs: () => second(0) })
    const replayLog = asReplayLog(log, createMemoryRegistry())
    const trades = [buildCurveTraded(place(2)), late, buildCurveTraded(place(0))]
    await writeSteps(log, replayLog.open.registry, [stepOf(1, 1, []), stepOf(2, 20, trades), stepOf(3, 21, [])])
    const found: unknown[] = []
    const range = { from: second(3), to: second(23), types: ['CurveTraded'], topics: ['chain-b-facts'] } as const
    for await (const { data, eventAt } of replay({ ...range, log: replayLog }))
      found.push({ logIndex: data.logIndex, eventAt })
    expect(found).to.deep.equal([
      { logIndex: 0, eventAt: second(20) },
      { logIndex: 1, eventAt: second(10) },
      { logIndex: 2, eventAt: second(20) },
    ])
  })
})
