import { expect } from 'chai'
import { isOperationError } from '../../../../infra/errors.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { createPublished } from '../../../../processors/runtime/restatement/published.ts'
import { toyStage, toyTopics } from '../../../replay/toy/toy-records.ts'
import { createHoledLog } from '../../../support/log/holed-log.ts'

const [topic, partition] = ['toy-derived', 1] as const
type Pair = readonly [key: string, value: string | null]

const recordsOf = (pairs: readonly Pair[]) =>
  pairs.map(([key, value]) => ({ topic, partition, key, value: value === null ? null : Buffer.from(value) }))
const labelled = (pairs: readonly Pair[]) => recordsOf(pairs).map((record) => ({ type: 'Balance', record }))

const tick1: readonly Pair[] = [
  ['ada', 'one'],
  ['tick', 'first'],
]
const tick2: readonly Pair[] = [
  ['ada', 'two'],
  ['bob', 'two'],
  ['tick', 'second'],
]

describe('what was published, beside what is folded again', () => {
  let log: Log
  beforeEach(async () => {
    log = createHoledLog({ nowMs: () => 0, topicTable: toyTopics })
    const writer = await log.openWriter('elsewhere')
    for (const pairs of [tick1, tick2]) await writer.append(recordsOf(pairs))
  })
  const published = (fromOffset = 0) => createPublished({ log, stage: toyStage }, partition, fromOffset)
  const failureOf = async (matched: Promise<void>) => {
    const error = await matched.then(
      () => null,
      (cause: unknown) => cause,
    )
    expect(isOperationError(error, 'determinism_broken'), String(error)).to.equal(true)
    return error
  }

  it('is equal tick by tick, also from the middle on', async () => {
    const all = published()
    await all.match(1, labelled(tick1))
    await all.match(2, labelled(tick2))
    await published(2).match(2, labelled(tick2))
  })

  it('is passed over tick by tick', async () => {
    const all = published()
    await all.pass()
    await all.match(2, labelled(tick2))
    await all.pass()
  })

  const differences: [string, readonly Pair[], number][] = [
    ['another value', [['ada', 'other']], 0],
    ['another key', [['bob', 'one']], 0],
    ['no value', [['ada', null]], 0],
    ['one record more', [tick1[0]!, ['bob', 'one']], 1],
  ]
  for (const [what, pairs, index] of differences)
    it(`differs in ${what}, which names its place`, async () => {
      const failed = await failureOf(published().match(1, labelled(pairs)))
      const found = { key: tick1[index]?.[0], offset: index }
      expect(failed).to.have.property('context').that.deep.includes({
        topic,
        partition,
        seq: 1,
        index,
        recordType: 'Balance',
        key: pairs[index]?.[0],
        published: found,
      })
    })

  it('differs in what is not there at all', async () => {
    const { endOffset } = await log.bounds(topic, partition)
    const failed = await failureOf(published(endOffset).match(3, labelled(tick1)))
    expect(failed).to.have.property('context').that.includes({ published: null })
  })
})
