import { expect } from 'chai'
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { readAll, readFirst, readLast, recordsFrom } from '../../../infra/log/read-back.ts'
import type { RecordBatch } from '../../../infra/log/record-batch.ts'
import { address, fact } from '../../contracts/log-contract.ts'

const facts = { topic: 'chain-a-facts', partition: 0 } as const
const textsOf = (batch: RecordBatch) => Array.from({ length: batch.count }, (_, i) => String(batch.valueAt(i)))
const isTick = (batch: RecordBatch, index: number) => String(batch.valueAt(index)).startsWith('tick')

async function textsIn(batches: AsyncIterable<RecordBatch>): Promise<string[]> {
  const texts: string[] = []
  for await (const batch of batches) texts.push(...textsOf(batch))
  return texts
}

describe('reading back', () => {
  let log: Log
  beforeEach(() => {
    log = createMemoryLog({ nowMs: () => 0 })
  })
  const appendAll = async (texts: readonly string[]) =>
    (await log.openWriter('w')).append(texts.map((text) => fact(0, text)))

  it('finds the last record of a kind at any offset', async () => {
    const texts = Array.from({ length: 3000 }, () => 'x')
    for (const at of [2999, 2744, 2743, 2000, 1, 0]) {
      log = createMemoryLog({ nowMs: () => 0 })
      const withTicks = texts.with(at, 'tick last')
      if (at > 500) withTicks[at - 500] = 'tick earlier'
      await appendAll(withTicks)
      const found = await readLast(log, facts, isTick)
      expect(found?.offset).to.equal(at)
      expect(String(found?.batch.valueAt(found.index))).to.equal('tick last')
    }
  })

  it('finds nothing in an empty partition', async () => {
    expect(await readLast(log, facts, isTick)).to.equal(null)
    await appendAll(Array.from({ length: 700 }, () => 'x'))
    expect(await readLast(log, facts, isTick)).to.equal(null)
  })

  it('reads one record if the first step is one record and the last record matches', async () => {
    await appendAll([...Array.from({ length: 50 }, () => 'x'), 'tick'])
    const offsets: number[] = []
    const watched: Log = {
      ...log,
      read: (from, options) => {
        offsets.push(from.offset)
        return log.read(from, options)
      },
    }
    expect((await readLast(watched, { ...facts, firstStepCount: 1 }, isTick))?.offset).to.equal(50)
    expect(offsets).to.deep.equal([50])
  })

  it('reads only the end if the record is near it', async () => {
    await (await log.openWriter('w')).append(Array.from({ length: 5000 }, () => fact(0, 'x'.repeat(1000))))
    await appendAll(['tick'])
    const offsets: number[] = []
    const watched: Log = {
      ...log,
      read: (position, options) => {
        offsets.push(position.offset)
        return log.read(position, options)
      },
    }
    expect((await readLast(watched, facts, isTick))?.offset).to.equal(5000)
    expect(Math.min(...offsets)).to.equal(5001 - 256)
  })

  it('works across the gaps of compaction', async () => {
    const writer = await log.openWriter('w')
    await writer.append([address('a', 'tick 1'), ...Array.from({ length: 900 }, () => address('b', 'x'))])
    await log.maintain(0)
    const found = await readLast(log, { topic: 'addresses', partition: 0 }, isTick)
    expect(found?.offset).to.equal(0)
  })
})

describe('records from an offset', () => {
  let log: Log
  beforeEach(() => {
    log = createMemoryLog({ nowMs: () => 0 })
  })

  it('end at the given offset, in the middle of a batch too', async () => {
    const writer = await log.openWriter('w')
    await writer.append(['a', 'b', 'c'].map((text) => fact(0, text)))
    await writer.append(['d', 'e'].map((text) => fact(0, text)))
    const position = { ...facts, offset: 1 }
    expect(await textsIn(recordsFrom(log, position, { untilOffset: 4 }))).to.deep.equal(['b', 'c', 'd'])
    expect(await textsIn(recordsFrom(log, position, { untilOffset: 4, bytesMax: 1 }))).to.deep.equal(['b', 'c', 'd'])
    expect(await textsIn(recordsFrom(log, position, { untilOffset: 1 }))).to.deep.equal([])
    expect(await textsIn(readAll(log, facts))).to.deep.equal(['a', 'b', 'c', 'd', 'e'])
    expect(await textsIn(readAll(log, { ...facts, partition: 1 }))).to.deep.equal([])
  })

  it('end with the log, even before the given offset, and when the signal aborts', async () => {
    const writer = await log.openWriter('w')
    await writer.append([fact(0, 'a')])
    await writer.append([fact(0, 'b')])
    expect(await textsIn(recordsFrom(log, { ...facts, offset: 0 }))).to.deep.equal(['a', 'b'])
    expect(await textsIn(recordsFrom(log, { ...facts, offset: 0 }, { untilOffset: 9 }))).to.deep.equal(['a', 'b'])
    const controller = new AbortController()
    const { signal } = controller
    const seen: string[] = []
    for await (const batch of recordsFrom(log, { ...facts, offset: 0 }, { signal })) {
      seen.push(...textsOf(batch))
      controller.abort()
    }
    expect(seen).to.deep.equal(['a'])
  })
})

describe('gaps in the offsets after each append', () => {
  let log: Log
  beforeEach(async () => {
    log = createMemoryLog({ nowMs: () => 0, gapAfter: () => 300 })
    const writer = await log.openWriter('w')
    for (const text of ['tick 0', 'a', 'b', 'c']) await writer.append([fact(0, text)])
  })

  it('have no records: a reader ends before them', async () => {
    expect(await log.bounds('chain-a-facts', 0)).to.deep.equal({ startOffset: 0, endOffset: 1204 })
    expect(await textsIn(readAll(log, facts))).to.deep.equal(['tick 0', 'a', 'b', 'c'])
    const until = (untilOffset: number) => textsIn(recordsFrom(log, { ...facts, offset: 1 }, { untilOffset }))
    expect(await until(302)).to.deep.equal(['a'])
    expect(await until(301)).to.deep.equal([])
    expect(await until(602)).to.deep.equal(['a'])
    expect(await until(1204)).to.deep.equal(['a', 'b', 'c'])
    expect(await textsIn(recordsFrom(log, { ...facts, offset: 1000 }, { untilOffset: 1204 }))).to.deep.equal([])
  })

  it('are skipped backwards, to a tick thousands of offsets away', async () => {
    expect((await readLast(log, facts, () => true))?.offset).to.equal(903)
    expect((await readLast(log, facts, isTick))?.offset).to.equal(0)
    expect((await readFirst(log, { ...facts, offset: 1 }, () => true))?.offset).to.equal(301)
    expect(await readFirst(log, { ...facts, offset: 1 }, isTick)).to.equal(null)
  })

  it('do not wake a reader that waits for a record', async () => {
    let isWoken = false
    const waiting = log.waitForAppend({ ...facts, offset: 904 }, new AbortController().signal).then(() => {
      isWoken = true
    })
    await (await log.openWriter('w')).append([fact(1, 'elsewhere')])
    expect(isWoken).to.equal(false)
    await (await log.openWriter('w')).append([fact(0, 'd')])
    await waiting
  })
})
