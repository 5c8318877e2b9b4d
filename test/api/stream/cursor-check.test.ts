import { expect } from 'chai'
import { createCursorText, parseCursor } from '../../../api/stream/cursor.ts'
import { createCursorCheck } from '../../../api/stream/cursor-check.ts'
import { OperationError } from '../../../infra/errors.ts'
import type { Log } from '../../../infra/log/log.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { createHoledLog } from '../../support/log/holed-log.ts'

const hourMs = 3_600_000
const topic = chainAStage.derivedTopic.name
const stages = [chainAStage]
const write = createCursorText(stages)

/** A log with one record per hour and partition. The record of hour `h` is published at `h` hours. */
async function createWorld({ hours = 60 } = {}) {
  const state = { nowMs: 0, reads: 0, failure: null as Error | null }
  const log = createHoledLog({ nowMs: () => state.nowMs, seed: 3 })
  const writer = await log.openWriter('stage')
  const offsets: number[][] = []
  for (let hour = 0; hour < hours; hour++) {
    state.nowMs = hour * hourMs
    const partitions = [0, 1, 2, 3]
    offsets.push(await Promise.all(partitions.map(async (partition) => (await log.bounds(topic, partition)).endOffset)))
    await writer.append(partitions.map((partition) => ({ topic, partition, key: 'k', value: Buffer.from('v') })))
  }
  const counted: Pick<Log, 'bounds' | 'read' | 'waitForAppend'> = {
    ...log,
    async read(...asked) {
      state.reads += 1
      if (state.failure) throw state.failure
      return log.read(...asked)
    },
  }
  const check = createCursorCheck({ log: counted, stages, nowMs: () => state.nowMs })
  /** The code of the refusal, or `usable`. */
  const codeOf = async (cursor: string) => {
    const checked = await check(cursor)
    return 'refusal' in checked ? checked.refusal.code : 'usable'
  }
  /** The cursor before the records of the hour. */
  const beginOf = (hour: number): readonly number[] => offsets[hour] ?? []
  return { state, log, check, codeOf, beginOf }
}

describe('the check of a cursor', () => {
  it('accepts it up to 24 h after the next record was published, in any partition', async () => {
    const { state, codeOf, beginOf } = await createWorld()
    const cursor = write(beginOf(30))
    state.nowMs = 54 * hourMs
    expect(await codeOf(cursor)).to.equal('usable')
    state.nowMs += 1
    expect(await codeOf(cursor)).to.equal('cursor_too_old')
    const mixed = beginOf(40).map((offset, partition) => (partition === 2 ? (beginOf(30)[2] ?? 0) : offset))
    expect(await codeOf(write(mixed)), 'one partition is behind').to.equal('cursor_too_old')
    expect(await codeOf(write(beginOf(40)))).to.equal('usable')
  })

  it('accepts the end of the log however long nothing was published', async () => {
    const { state, log, codeOf } = await createWorld()
    state.nowMs = 1000 * hourMs
    const ends = await Promise.all([0, 1, 2, 3].map(async (at) => (await log.bounds(topic, at)).endOffset))
    expect(await codeOf(write(ends))).to.equal('usable')
  })

  it('refuses what is no cursor of this log, and what is after its end', async () => {
    const { log, check, codeOf } = await createWorld()
    const ends = await Promise.all([0, 1, 2, 3].map(async (at) => (await log.bounds(topic, at)).endOffset))
    for (let partition = 0; partition < 4; partition++)
      expect(await codeOf(write(ends.map((end, at) => (at === partition ? end + 1 : end))))).to.equal('cursor_unknown')
    for (const text of ['', 'x', '1.2.3', '1.2.3.4-1.2.3.4', '...'])
      expect(await codeOf(text), text).to.equal('cursor_unknown')
    const checked = await check('nonsense')
    expect('refusal' in checked && [checked.refusal.status, checked.refusal.error]).to.deep.equal([
      400,
      'the cursor is not the whole id of an event of this stream. Continue from the cursor in `oldest`, or connect without a cursor, and fetch what is missing from the history routes',
    ])
  })

  it('refuses what retention has removed', async () => {
    const { state, log, codeOf, beginOf } = await createWorld()
    state.nowMs = 59 * hourMs
    expect(await codeOf(write(beginOf(50)))).to.equal('usable')
    const shortened: typeof log = {
      ...log,
      bounds: async (of, at) => ({ ...(await log.bounds(of, at)), startOffset: (beginOf(50)[at] ?? 0) + 1 }),
    }
    const check = createCursorCheck({ log: shortened, stages, nowMs: () => state.nowMs })
    const checked = await check(write(beginOf(50)))
    expect('refusal' in checked && checked.refusal.code).to.equal('cursor_too_old')
  })

  it('names the oldest cursor: from the first records that can be used for five more minutes', async () => {
    const { state, check, codeOf, beginOf } = await createWorld()
    state.nowMs = 59 * hourMs
    const checked = await check(write(beginOf(2)))
    const refusal = 'refusal' in checked ? checked.refusal : expect.fail('it was accepted')
    expect([refusal.status, refusal.code]).to.deep.equal([410, 'cursor_too_old'])
    const oldest = parseCursor(refusal.oldest ?? '', stages) ?? []
    // The record of hour 35 becomes too old at once, so the first is that of hour 36. Unused offsets may come before it.
    for (const [partition, offset] of oldest.entries()) {
      expect(offset).to.be.above(beginOf(35)[partition] ?? 0)
      expect(offset).to.be.at.most(beginOf(36)[partition] ?? 0)
    }
    expect(await codeOf(refusal.oldest ?? '')).to.equal('usable')
    state.nowMs += 5 * 60_000
    expect(await codeOf(refusal.oldest ?? '')).to.equal('usable')
  })

  it('is the start of a young log, and the end of an empty log', async () => {
    const young = await createWorld({ hours: 3 })
    const oldestOf = async ({ check }: typeof young) => {
      const checked = await check('x')
      return 'refusal' in checked ? checked.refusal.oldest : null
    }
    expect(await oldestOf(young)).to.equal(write(young.beginOf(0)))
    expect(await oldestOf(await createWorld({ hours: 0 }))).to.equal('0.0.0.0')
  })

  it('searches the oldest cursor once a minute, and again after a failure', async () => {
    const { state, check } = await createWorld()
    await check('x')
    const { reads } = state
    expect(reads).to.be.above(8)
    await Promise.all([check('x'), check('y')])
    expect(state.reads).to.equal(reads)
    state.nowMs += 60_000
    state.failure = new OperationError('log_unavailable', 'away')
    expect(await check('x').catch((error: OperationError) => error.code)).to.equal('log_unavailable')
    state.failure = null
    expect(await check('x')).to.have.nested.property('refusal.oldest')
  })
})
