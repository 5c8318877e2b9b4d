import { expect } from 'chai'
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import type { Processor } from '../../../processors/processor.ts'
import type { KeyedRecord } from '../../replay/keyed-record.ts'
import { appendFacts, derivedBytes, type OpenStage, openStage, readAll, runUntil } from '../../replay/stage-log.ts'
import { paidIn, toyTick } from '../../replay/toy/toy-facts.ts'
import { type ToyTypes, toyStage, toyTopics } from '../../replay/toy/toy-records.ts'
import { toy } from '../../replay/toy/toy-stage.ts'
import { second } from '../../support/builders/build-facts.ts'

const partition = 2

/** Six ticks with one payment each. */
const facts = [1, 2, 3, 4, 5, 6].flatMap((seq): KeyedRecord<ToyTypes>[] => {
  const block = { blockAtMs: second(seq), blockNumber: seq }
  return [
    { key: 'ada', record: paidIn(block) },
    { key: 'tick', record: { type: 'Tick', data: toyTick({ seq, ...block }) } },
  ]
})

describe('where a task goes on', () => {
  let open: OpenStage<ToyTypes>
  before(async () => {
    open = await openStage(toy, undefined, toyTopics)
  })
  const logOf = async () => {
    const log = createMemoryLog({ nowMs: () => 0, topicTable: toyTopics })
    await appendFacts({ ...open, log, partition }, facts)
    return log
  }
  /**
   * Returns a log on which the task has written the derived records up to tick 4, and a snapshot of its state
   * at tick 4.
   */
  const logWithSnapshot = async () => {
    const log = await logOf()
    await runUntil({ ...open, partition }, 4, { log, snapshotEveryMs: 0 })
    return log
  }
  /**
   * Runs a task. Returns the block numbers of the facts that it processes. The processors have the names of
   * the toy stage, so that the task can restore the snapshot.
   */
  const foldedBy = async (log: Log, its: Partial<OpenStage<ToyTypes>>, stateVersion = 1) => {
    const folded: number[] = []
    const watching: Processor<object, ToyTypes> = {
      name: 'balances',
      stateVersion,
      initialState: () => ({}),
      onFact: (_, fact) => void folded.push(fact.data.blockNumber),
      isEmpty: () => false,
    }
    const processors = [watching, toy.processors[1]!]
    await runUntil({ ...open, ...its, partition }, 6, { log, processors }).catch(() => {})
    return folded
  }

  it('is behind a snapshot of the same rules and states', async () => {
    const [first] = await foldedBy(await logWithSnapshot(), {})
    expect(first).to.be.greaterThan(1)
  })

  it('is the first fact under other rules', async () => {
    const stage = { ...toyStage, rulesVersion: 'toy-2' }
    expect((await foldedBy(await logWithSnapshot(), { stage }))[0]).to.equal(1)
  })

  it('is the first fact for code with other states', async () => {
    expect((await foldedBy(await logWithSnapshot(), {}, 2))[0]).to.equal(1)
  })

  it('is what is left of the facts of other rules: what these published stays', async () => {
    const log = createMemoryLog({ nowMs: () => 0, topicTable: toyTopics })
    const older = facts.map(({ key, record }): KeyedRecord<ToyTypes> => {
      if (record.type !== 'Tick') return { key, record }
      return { key, record: { ...record, data: { ...record.data, rulesVersion: 'toy-0' } } }
    })
    await appendFacts({ ...open, log, partition }, older)
    await runUntil({ ...open, partition }, 6, { log, processors: [] })
    const published = await derivedBytes(log, toyStage, partition)
    const left: Log = { ...log, bounds: async (topic, of) => ({ ...(await log.bounds(topic, of)), startOffset: 4 }) }
    await runUntil({ ...open, partition }, 6, { log: left })
    expect(await derivedBytes(log, toyStage, partition)).to.deep.equal(published)
  })

  it('is not behind a snapshot of a tick that the output does not have', async () => {
    const ahead = await logOf()
    await runUntil({ ...open, partition }, 6, { log: ahead, snapshotEveryMs: 0 })
    const log = await logOf()
    await runUntil({ ...open, partition }, 6, { log })
    const expected = await derivedBytes(log, toyStage, partition)
    const behind = await logOf()
    const writer = await behind.openWriter('elsewhere')
    for (const { key, value } of await readAll(ahead, 'snapshots', 0))
      await writer.append([{ topic: 'snapshots', partition: 0, key, value }])
    await runUntil({ ...open, partition }, 6, { log: behind })
    expect(await derivedBytes(behind, toyStage, partition)).to.deep.equal(expected)
  })
})
