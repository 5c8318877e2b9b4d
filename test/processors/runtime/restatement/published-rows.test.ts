import { expect } from 'chai'
import type { Log } from '../../../../infra/log/log.ts'
import { rowsEarlier, rowsPublished } from '../../../../processors/runtime/restatement/published-rows.ts'
import { rowId } from '../../../../processors/runtime/restatement/row-versions.ts'
import { openSnapshotStore } from '../../../../processors/runtime/snapshots/snapshot-store.ts'
import { type OpenStage, openStage, silentLogger } from '../../../replay/stage-log.ts'
import { toyTick } from '../../../replay/toy/toy-facts.ts'
import { type ToyTypes, toyTopics } from '../../../replay/toy/toy-records.ts'
import { toy } from '../../../replay/toy/toy-stage.ts'
import { second } from '../../../support/builders/build-facts.ts'
import { createHoledLog } from '../../../support/log/holed-log.ts'

const partition = 1
const topic = 'toy-derived'

/** The number of ticks in the log. Each tick publishes one reminder, which is due at the second of the tick. */
const ticksMax = 1500

describe('published rows', () => {
  let open: OpenStage<ToyTypes>
  let log: Log
  let readsFrom: number[]
  beforeEach(async () => {
    open = await openStage(toy, undefined, toyTopics)
    const whole = createHoledLog({ nowMs: () => 0, topicTable: toyTopics })
    readsFrom = []
    log = {
      ...whole,
      read: (from, options) => {
        readsFrom.push(from.offset)
        return whole.read(from, options)
      },
    }
    await publish(Array.from({ length: ticksMax }, (_, at) => ({ seq: at + 1, numbers: [at + 1] })))
  })

  const publish = async (ticks: readonly Readonly<{ seq: number; numbers: readonly number[]; dueSeq?: number }>[]) => {
    const writer = await log.openWriter('elsewhere')
    await writer.append(
      ticks.flatMap(({ seq, numbers, dueSeq = seq }) => [
        ...numbers.map((number) => ({
          topic,
          partition,
          key: 'ada',
          value: open.derivedCodec.encode('Reminder', { number, dueAtMs: second(dueSeq) }),
        })),
        {
          topic,
          partition,
          key: 'tick',
          value: open.derivedCodec.encode('Tick', toyTick({ seq, blockNumber: seq, blockAtMs: second(seq) })),
        },
      ]),
    )
  }
  const partsOf = async () => ({
    dependencies: { ...open, log, nowMs: () => 0, logger: silentLogger, snapshotEveryMs: 0 },
    partition,
    snapshots: await openSnapshotStore({ ...open, log, logger: silentLogger }, partition),
    signal: new AbortController().signal,
  })
  const rowOf = (number: number, atSeq: number) => ({
    token: 'ada',
    key: { recordType: 'Reminder', number, atMs: second(atSeq) },
    record: null,
    supersedesAtMs: null,
  })
  const numbersOf = (rows: ReadonlyMap<string, { key: object }>) =>
    [...rows.values()].map(({ key }) => Reflect.get(key, 'number'))

  it('are those of whole ticks before one, from an offset on', async () => {
    const rows = await rowsPublished(await partsOf(), 2 * 1490, 1496)
    expect(numbersOf(rows)).to.deep.equal([1491, 1492, 1493, 1494, 1495])
  })

  const { endOffset } = { endOffset: 2 * ticksMax }
  const places: [string, number][] = [
    ['just before', ticksMax],
    ['a few hundred records back', ticksMax - 300],
    ['thousands of records back', 3],
    ['at the very beginning', 1],
  ]
  for (const [where, seq] of places)
    it(`are found ${where}`, async () => {
      const wanted = rowOf(seq, seq)
      const rows = await rowsEarlier(await partsOf(), [wanted], endOffset)
      expect([...rows.keys()]).to.deep.equal([rowId(open.stage, wanted)])
    })

  it('are not looked for before their instant', async () => {
    const parts = await partsOf()
    readsFrom = []
    expect((await rowsEarlier(parts, [rowOf(7, ticksMax - 50)], endOffset)).size).to.equal(0)
    expect(Math.min(...readsFrom)).to.equal(endOffset - 256)
    // This search goes further back, because the row's instant is older than all ticks of the first read.
    expect((await rowsEarlier(parts, [rowOf(7, ticksMax - 127)], endOffset)).size).to.equal(0)
    expect(Math.min(...readsFrom)).to.equal(endOffset - 256 - 1024)
  })

  it('are given in the last version before the offset, though another row is looked for further back', async () => {
    await publish([{ seq: ticksMax + 1, numbers: [1], dueSeq: 1 }])
    const { endOffset: end } = await log.bounds(topic, partition)
    const [again, first] = [rowOf(1, 1), rowOf(2, 2)]
    const rows = await rowsEarlier(await partsOf(), [again, first], end)
    expect(rows.size).to.equal(2)
    const earlier = await rowsEarlier(await partsOf(), [again], endOffset)
    expect(rows.get(rowId(open.stage, again))?.record).to.deep.equal(earlier.get(rowId(open.stage, again))?.record)
  })

  it('are none where none is wanted, and nothing is read', async () => {
    const parts = await partsOf()
    readsFrom = []
    expect((await rowsEarlier(parts, [], endOffset)).size).to.equal(0)
    expect(readsFrom).to.deep.equal([])
  })
})
