import { expect } from 'chai'
import type { Log } from '../../../../infra/log/log.ts'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { readAll } from '../../../../infra/log/read-back.ts'
import { createLogCopy, createLogReader } from './log-copy.ts'

const topic = 'chain-a-facts'
const topics = [{ name: topic, partitionCount: 2 }]

describe('the copy of a log', () => {
  const clock = { atMs: 0 }
  const recordsOf = async (log: Log, partition: number) => {
    const found: unknown[] = []
    for await (const batch of readAll(log, { topic, partition }))
      for (let index = 0; index < batch.count; index++)
        found.push([
          batch.offsetAt(index),
          batch.keyAt(index),
          String(batch.valueAt(index)),
          batch.timestampMsAt(index),
        ])
    return found
  }
  const given = async (appends: readonly (readonly (readonly [partition: number, key: string])[])[]) => {
    const log = createMemoryLog({ nowMs: () => clock.atMs })
    const read = createLogReader(log, topics)
    const writer = await log.openWriter('test')
    const copy = createLogCopy()
    for (const records of appends) {
      clock.atMs += 1000
      await writer.append(
        records.map(([partition, key]) => ({ topic, partition, key, value: Buffer.from(`of ${key}`) })),
      )
      // The copy gets cloned objects, like objects from another thread.
      copy.add(structuredClone(await read()))
    }
    return { log, copy: copy.log, read }
  }

  it('has the same records at the same offsets, with their times', async () => {
    const { log, copy } = await given([
      [
        [0, 'a'],
        [0, 'b'],
        [1, 'c'],
      ],
      [[1, 'd']],
      [
        [0, 'e'],
        [0, 'f'],
      ],
    ])
    for (const partition of [0, 1])
      expect(await recordsOf(copy, partition)).to.deep.equal(await recordsOf(log, partition))
    expect(await recordsOf(copy, 0)).to.have.length(4)
    expect(await copy.bounds(topic, 0)).to.deep.equal({ startOffset: 0, endOffset: 4 })
    expect(await copy.bounds(topic, 1)).to.deep.equal({ startOffset: 0, endOffset: 2 })
  })

  it('begins inside a block', async () => {
    const { copy } = await given([
      [
        [0, 'a'],
        [0, 'b'],
      ],
      [[0, 'c']],
    ])
    const batches = await copy.read({ topic, partition: 0, offset: 1 })
    expect(
      batches.flatMap((batch) => Array.from({ length: batch.count }, (_, index) => batch.keyAt(index))),
    ).to.deep.equal(['b', 'c'])
  })

  it('gives about as many bytes as are asked for, and at least a block', async () => {
    const { copy } = await given([[[0, 'a']], [[0, 'b']]])
    expect(await copy.read({ topic, partition: 0, offset: 0 }, { bytesMax: 1 })).to.have.length(1)
    expect(await copy.read({ topic, partition: 0, offset: 0 })).to.have.length(2)
    expect(await copy.read({ topic, partition: 0, offset: 2 })).to.deep.equal([])
  })

  it('is told of each record once', async () => {
    const { read } = await given([[[0, 'a']]])
    expect(await read()).to.deep.equal([])
  })

  it('is empty where nothing was appended', async () => {
    const { copy } = await given([[[0, 'a']]])
    expect(await recordsOf(copy, 1)).to.deep.equal([])
    expect(await copy.bounds(topic, 1)).to.deep.equal({ startOffset: 0, endOffset: 0 })
  })
})
