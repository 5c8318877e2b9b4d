import { expect } from 'chai'
import { followTopic } from '../../../infra/log/follow.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { topics } from '../../../schemas/topics.ts'

describe('following a topic', () => {
  it('hands out what is appended from now on, in every partition, and ends with the signal', async () => {
    const topic = topics['chain-a-facts']
    const log = createMemoryLog({ nowMs: () => 0 })
    const writer = await log.openWriter('w')
    const append = (partition: number, key: string) =>
      writer.append([{ topic: topic.name, partition, key, value: Buffer.from(key) }])
    await append(0, 'before')
    const stop = new AbortController()
    const seen: string[] = []
    const following = followTopic(log, topic, {
      signal: stop.signal,
      async onBatch(batch) {
        for (let index = 0; index < batch.count; index++) seen.push(batch.keyAt(index))
        if (seen.length === 3) stop.abort()
      },
    })
    await new Promise((resolve) => setImmediate(resolve))
    await append(0, 'a')
    await append(3, 'b')
    await append(0, 'c')
    await following
    expect(seen).to.have.members(['a', 'b', 'c'])
    expect(seen.filter((key) => key !== 'b')).to.deep.equal(['a', 'c'])
  })

  it('begins where it is told to, and ends in every partition once one fails', async () => {
    const topic = topics['chain-a-facts']
    const log = createMemoryLog({ nowMs: () => 0 })
    const writer = await log.openWriter('w')
    const append = (partition: number, ...keys: readonly string[]) =>
      writer.append(keys.map((key) => ({ topic: topic.name, partition, key, value: Buffer.from(key) })))
    await append(0, 'skipped', 'a', 'b')
    await append(1, 'c')
    const seen: string[] = []
    const following = followTopic(log, topic, {
      signal: new AbortController().signal,
      offsetOf: (partition, endOffset) => (partition === 0 ? 1 : endOffset),
      async onBatch(batch) {
        for (let index = 0; index < batch.count; index++) seen.push(batch.keyAt(index))
        if (seen.includes('d')) throw new TypeError('a fault')
      },
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen).to.deep.equal(['a', 'b'])
    await append(1, 'd')
    const failure = await following.catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(TypeError)
    await append(0, 'nobody reads this any more')
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen).to.deep.equal(['a', 'b', 'd'])
  })
})
