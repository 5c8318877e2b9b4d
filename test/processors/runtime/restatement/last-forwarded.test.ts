import { expect } from 'chai'
import { isOperationError } from '../../../../infra/errors.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { lastForwardedTick } from '../../../../processors/runtime/restatement/last-forwarded.ts'
import { type OpenStage, openStage, readAll } from '../../../replay/stage-log.ts'
import { toyTick } from '../../../replay/toy/toy-facts.ts'
import { type ToyTypes, toyStage, toyTopics } from '../../../replay/toy/toy-records.ts'
import { toy } from '../../../replay/toy/toy-stage.ts'
import { createHoledLog } from '../../../support/log/holed-log.ts'

const [topic, partition] = ['toy-derived', 1] as const
// A log accepts a record without a value only in a compacted topic. Other programs can write such a record to
// the cluster.
const derivedTopic = { ...toyStage.derivedTopic, isCompacted: true }
const topicTable = { ...toyTopics, [topic]: derivedTopic }
const reminder = { number: 1, dueAtMs: 2 }

describe('the last tick of a derived partition', () => {
  let open: OpenStage<ToyTypes>
  let log: Log
  before(async () => {
    open = await openStage(toy, undefined, toyTopics)
  })
  beforeEach(() => {
    log = createHoledLog({ nowMs: () => 0, topicTable })
  })

  const tick = (seq: number) => open.derivedCodec.encode('Tick', toyTick({ seq }))
  const append = async (...values: readonly (Buffer | null)[]) => {
    const writer = await log.openWriter('elsewhere')
    await writer.append(values.map((value) => ({ topic, partition, key: 'any', value })))
  }
  const last = () => lastForwardedTick({ ...open, log }, partition)

  it('is null if the partition is empty', async () => {
    expect(await last()).to.equal(null)
  })

  it('is that of the last commit', async () => {
    for (const seq of [1, 2]) {
      await append(open.derivedCodec.encode('Reminder', reminder), tick(seq))
      expect({ ...(await last()) }).to.deep.equal(toyTick({ seq }))
    }
  })

  for (const [damage, lastValue] of [
    ['with another record than a tick', () => open.derivedCodec.encode('Reminder', reminder)],
    ['with a record that has no value', () => null],
    ['with half a tick', () => tick(2).subarray(0, 12)],
    ['with bytes of no record', () => Buffer.from('damaged')],
    ['with a record of a schema that nobody registered', () => Buffer.from([0, 0, 0, 9, 9, 1, 2, 3])],
  ] as const)
    it(`fails with record_corrupt and the place of the last record if the partition ends ${damage}`, async () => {
      await append(tick(1))
      await append(lastValue())
      const failure = await last().catch((error: unknown) => error)
      expect(isOperationError(failure, 'record_corrupt'), String(failure)).to.equal(true)
      const offset = (await readAll(log, topic, partition)).at(-1)?.offset
      expect(failure).to.have.property('context').that.includes({ topic, partition, offset })
      expect(String(failure)).to.contain(`${topic}/${partition}`)
    })
})
