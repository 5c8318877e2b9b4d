import { expect } from 'chai'
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory-log.ts'
import { readAll, readLast, recordsFrom } from '../../../infra/log/read-back.ts'
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

  it('finds the last record of a kind wherever it stands', async () => {
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

  it('finds nothing where there is nothing', async () => {
    expect(await readLast(log, facts, isTick)).to.equal(null)
    await appendAll(Array.from({ length: 700 }, () => 'x'))
    expect(await readLast(log, facts, isTick)).to.equal(null)
  })

  it('reads only the end where the record is near it', async () => {
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

  it('finds its way over the holes of compaction', async () => {
    const writer = await log.openWriter('w')
    await writer.append([address('a', 'tick 1'), ...Array.from({ length: 900 }, () => address('b', 'x'))])
    await log.maintain(0)
    const found = await readLast(log, { topic: 'addresses', partition: 0 }, isTick)
    expect(found?.offset).to.equal(0)
  })
})

describe('records from a position', () => {
  let log: Log
  beforeEach(() => {
    log = createMemoryLog({ nowMs: () => 0 })
  })

  it('end at the offset asked for, in the middle of a batch too', async () => {
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

  it('follow the partition until the signal aborts', async () => {
    const writer = await log.openWriter('w')
    const controller = new AbortController()
    const seen: string[] = []
    await writer.append([fact(0, '0')])
    for await (const batch of recordsFrom(log, { ...facts, offset: 0 }, { signal: controller.signal })) {
      seen.push(...textsOf(batch))
      if (seen.length < 3) setImmediate(() => void writer.append([fact(0, `${seen.length}`)]))
      else setImmediate(() => controller.abort())
    }
    expect(seen).to.deep.equal(['0', '1', '2'])
  })

  it('wait for an offset that is not yet there', async () => {
    const reading = textsIn(recordsFrom(log, { ...facts, offset: 0 }, { untilOffset: 2 }))
    const writer = await log.openWriter('w')
    await writer.append([fact(0, 'a')])
    await writer.append([fact(0, 'b'), fact(0, 'c')])
    expect(await reading).to.deep.equal(['a', 'b'])
  })
})
