/**
 * The tests that every adapter of the log must pass. Promises of a single adapter, such as durability, have
 * their own tests.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { isOperationError, type OperationErrorCode } from '../../infra/errors.ts'
import { followTopic } from '../../infra/log/follow.ts'
import type { Log, LogReader, NewRecord } from '../../infra/log/log.ts'
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import { type TopicName, topics } from '../../schemas/topics.ts'

const dayMs = 86_400_000
const startAtMs = Date.UTC(2026, 0, 1, 12)

export type LogContractOptions = Readonly<{
  /** Opens a new, empty log. Records get their timestamps from `clock`. */
  create(clock: () => number): Promise<Log>
  /** The number of random histories. Slow adapters use fewer. */
  runCount?: number
  /** False if other things than records also use offsets. Default: true. */
  isDense?: boolean
  /** False if a superseded record may stay for some time after `maintain`. Default: true. */
  compactsOnMaintain?: boolean
}>

export function describeLogContract(name: string, options: LogContractOptions): void {
  const { create, runCount = 60, isDense = true, compactsOnMaintain = true } = options

  const expectOffsets = (actual: readonly number[], dense: readonly number[]) => {
    if (isDense) expect(actual).to.deep.equal(dense)
    expect(actual).to.deep.equal([...new Set(actual)].sort((left, right) => left - right))
    expect(actual).to.have.lengthOf(dense.length)
  }
  /**
   * Checks that `actual` has all of `kept`, and the same newest record of each key. A log that does not
   * compact in `maintain` may also have older records of a key.
   */
  const expectCompacted = (actual: readonly KeyedRecord[], kept: readonly KeyedRecord[]) => {
    if (compactsOnMaintain) expect(actual).to.deep.equal(kept)
    expect(actual).to.deep.include.members([...kept])
    expect(newestOf(actual)).to.deep.equal(newestOf(kept))
  }

  describe(`${name}: the log contract`, () => {
    let nowMs: number
    let log: Log

    beforeEach(async () => {
      nowMs = startAtMs
      log = await create(() => nowMs)
    })
    afterEach(() => log.close())

    it('appends to several topics and partitions in the given order', async () => {
      const writer = await log.openWriter('w')
      await writer.append([fact(0, 'a'), fact(1, 'b'), fact(0, 'c'), address('p', 'x'), fact(1, 'd')])
      expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['a', 'c'])
      expect(await valuesOf(log, 'chain-a-facts', 1)).to.deep.equal(['b', 'd'])
      expect(await valuesOf(log, 'addresses', 0)).to.deep.equal(['x'])
      expect(await log.bounds('chain-a-facts', 0)).to.deep.equal({ startOffset: 0, endOffset: 2 })
      expect(await log.bounds('chain-a-facts', 2)).to.deep.equal({ startOffset: 0, endOffset: 0 })
    })

    it('keeps key, value, offset and time of a record', async () => {
      const writer = await log.openWriter('w')
      await writer.append([{ topic: 'addresses', partition: 0, key: 'pöol', value: Buffer.from([0, 255]) }])
      nowMs += 5
      await writer.append([{ topic: 'addresses', partition: 0, key: '', value: Buffer.alloc(0) }])
      const records = await recordsOf(log, 'addresses', 0)
      expect(records.map(({ key, value, timestampMs }) => ({ key, value, timestampMs }))).to.deep.equal([
        { key: 'pöol', value: '00ff', timestampMs: startAtMs },
        { key: '', value: '', timestampMs: startAtMs + 5 },
      ])
      expectOffsets(offsetsOf(records), [0, 1])
    })

    it('takes an append of nothing', async () => {
      await (await log.openWriter('w')).append([])
      expect((await log.bounds('payments', 0)).endOffset).to.equal(0)
    })

    it('reads from any offset, also in the middle of an append', async () => {
      const writer = await log.openWriter('w')
      await writer.append(['a', 'b', 'c'].map((value) => fact(0, value)))
      await writer.append(['d', 'e'].map((value) => fact(0, value)))
      const offsets = offsetsOf(await recordsOf(log, 'chain-a-facts', 0))
      expectOffsets(offsets, [0, 1, 2, 3, 4])
      const { endOffset } = await log.bounds('chain-a-facts', 0)
      expect(endOffset).to.equal((offsets.at(-1) ?? 0) + 1)
      for (let offset = 0; offset <= endOffset; offset++) {
        const expected = ['a', 'b', 'c', 'd', 'e'].filter((_, index) => (offsets[index] ?? 0) >= offset)
        expect(await valuesOf(log, 'chain-a-facts', 0, offset), `from ${offset}`).to.deep.equal(expected)
      }
      // Some logs have offsets after the last record that belong to no record.
      const pastEnd = endOffset + (isDense ? 1 : 100)
      await expectFailure(log.read(at('chain-a-facts', 0, pastEnd)), 'offset_out_of_range')
    })

    it('stops near bytesMax, after at least one record, and continues at nextOffset', async () => {
      const writer = await log.openWriter('w')
      const big = Buffer.alloc(200_000, 'x').toString()
      await writer.append(Array.from({ length: 20 }, () => fact(0, big)))
      const once = await log.read(at('chain-a-facts', 0, 0), { bytesMax: 500_000 })
      expect(bytesIn(once)).to.be.within(1, 800_000)
      expect(recordsIn(await log.read(at('chain-a-facts', 0, 3), { bytesMax: 1 }))[0]?.offset).to.equal(3)
      let offset = 0
      let readCount = 0
      while (offset < 20) {
        for (const batch of await log.read(at('chain-a-facts', 0, offset), { bytesMax: 1 })) {
          expect(batch.offsetAt(0)).to.equal(offset)
          offset = batch.nextOffset
        }
        readCount++
      }
      expect(readCount).to.be.greaterThan(4)
    })

    it('wakes a waiting reader on the next append', async () => {
      const writer = await log.openWriter('w')
      await writer.append([fact(0, 'a')])
      const { signal } = new AbortController()
      await log.waitForAppend(at('chain-a-facts', 0, 0), signal)
      let isAwake = false
      const waiting = log.waitForAppend(at('chain-a-facts', 0, 1), signal).then(() => {
        isAwake = true
      })
      await writer.append([fact(1, 'elsewhere')])
      await new Promise((resolve) => setImmediate(resolve))
      expect(isAwake).to.equal(false)
      await writer.append([fact(0, 'b')])
      await waiting
      expect(await valuesOf(log, 'chain-a-facts', 0, 1)).to.deep.equal(['b'])
    })

    it('gives every follower of a topic all records of all partitions, in order within each', async () => {
      const topic = topics['chain-a-facts']
      const partitions = Array.from({ length: topic.partitionCount }, (_, partition) => partition)
      const stop = new AbortController()
      const begun = { count: 0 }
      const follow = async () => {
        const seen = new Map<number, string[]>()
        await followTopic(log, topic, {
          signal: stop.signal,
          offsetOf(_, endOffset) {
            begun.count += 1
            return endOffset
          },
          async onBatch(batch, partition) {
            const values = seen.get(partition) ?? []
            seen.set(partition, values)
            for (let index = 0; index < batch.count; index++) values.push(`${batch.valueAt(index)}`)
            followed.count += batch.count
            if (followed.count === 2 * 3 * topic.partitionCount) stop.abort()
          },
        })
        return partitions.map((partition) => seen.get(partition))
      }
      const followed = { count: 0 }
      const writer = await log.openWriter('w')
      await writer.append(partitions.map((partition) => fact(partition, 'before')))
      const following = [follow(), follow()]
      while (begun.count < 2 * topic.partitionCount) await new Promise((resolve) => setTimeout(resolve, 5))
      await writer.append(partitions.flatMap((partition) => [fact(partition, 'a'), fact(partition, 'b')]))
      await writer.append(partitions.map((partition) => fact(partition, 'c')))
      const all = partitions.map(() => ['a', 'b', 'c'])
      expect(await Promise.all(following)).to.deep.equal([all, all])
    })

    it('ends a wait without an error when its signal aborts', async () => {
      const controller = new AbortController()
      const waiting = log.waitForAppend(at('chain-a-facts', 0, 0), controller.signal)
      controller.abort()
      await waiting
      await log.waitForAppend(at('chain-a-facts', 0, 0), controller.signal)
    })

    it('fences the older of two writers of one name, and writes nothing of its append', async () => {
      const first = await log.openWriter('task')
      const other = await log.openWriter('other')
      await first.append([fact(0, 'a')])
      const second = await log.openWriter('task')
      await expectFailure(first.append([fact(0, 'late'), fact(1, 'late')]), 'writer_fenced')
      await second.append([fact(0, 'b')])
      await expectFailure(first.append([fact(0, 'later')]), 'writer_fenced')
      await other.append([fact(0, 'c')])
      expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['a', 'b', 'c'])
      expect(await valuesOf(log, 'chain-a-facts', 1)).to.deep.equal([])
    })

    it('fences a writer outside transactions too, before its successor has written anything', async () => {
      const first = await log.openWriter('ledger', { isTransactional: false })
      await first.append([fact(0, 'a')])
      const second = await log.openWriter('ledger', { isTransactional: false })
      await expectFailure(first.append([fact(0, 'late')]), 'writer_fenced')
      await expectFailure(first.append([fact(3, 'late, where nobody wrote')]), 'writer_fenced')
      await second.append([fact(0, 'b')])
      expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['a', 'b'])
      expect(await valuesOf(log, 'chain-a-facts', 3)).to.deep.equal([])
    })

    for (const isTransactional of [true, false]) {
      const open = () => log.openWriter('ledger', { isTransactional })
      const where = isTransactional ? 'in transactions' : 'outside transactions'

      it(`confirms the newest writer of a name and none before it, ${where}`, async () => {
        const first = await open()
        await first.confirm()
        await first.append([fact(0, 'a')])
        await first.confirm()
        const second = await open()
        await expectFailure(first.confirm(), 'writer_fenced')
        await second.confirm()
        await second.append([fact(0, 'b')])
        await expectFailure(first.append([fact(0, 'late')]), 'writer_fenced')
        expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['a', 'b'])
      })

      it(`continues with a reopened writer, and fences its predecessor, ${where}`, async () => {
        const first = await open()
        await first.append([fact(0, 'a')])
        const again = await first.reopen()
        await expectFailure(first.append([fact(0, 'late')]), 'writer_fenced')
        await expectFailure(first.reopen(), 'writer_fenced')
        await again.append([fact(0, 'b')])
        const once = await again.reopen()
        await once.confirm()
        await once.append([fact(0, 'c')])
        expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['a', 'b', 'c'])
      })

      it(`does not reopen a writer after a later one was opened, ${where}`, async () => {
        const first = await open()
        await first.append([fact(0, 'a')])
        const second = await open()
        await expectFailure(first.reopen(), 'writer_fenced')
        await expectFailure(first.reopen(), 'writer_fenced')
        await second.append([fact(0, 'b')])
        await expectFailure(first.append([fact(0, 'late')]), 'writer_fenced')
        expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['a', 'b'])
      })
    }

    it('lets a writer append single records outside a transaction', async () => {
      const writer = await log.openWriter('lookup', { isTransactional: false })
      await writer.append([fact(2, 'answer')])
      expect(await valuesOf(log, 'chain-a-facts', 2)).to.deep.equal(['answer'])
    })

    const refused: readonly [string, NewRecord, OperationErrorCode][] = [
      ['a value over 1 MiB', { ...fact(0, ''), value: Buffer.alloc(1_048_577) }, 'value_too_large'],
      ['a key that the record layout cannot hold', { ...fact(0, 'x'), key: 'k'.repeat(65_536) }, 'value_too_large'],
      ['an unknown topic', { ...fact(0, 'x'), topic: 'nowhere' as TopicName }, 'topic_unknown'],
      [
        'a topic named like a property of every object',
        { ...fact(0, 'x'), topic: 'toString' as TopicName },
        'topic_unknown',
      ],
      ['a partition past the declared count', fact(4, 'x'), 'partition_out_of_range'],
      ['a partition that is no whole number', fact(0.5, 'x'), 'partition_out_of_range'],
      ['a null value on a topic that is not compacted', { ...fact(0, 'x'), value: null }, 'record_corrupt'],
    ]
    for (const [what, bad, code] of refused)
      it(`refuses ${what}, and the rest of its append with it`, async () => {
        const writer = await log.openWriter('w')
        await expectFailure(writer.append([fact(0, 'good'), bad, fact(1, 'good')]), code)
        expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal([])
        expect(await valuesOf(log, 'chain-a-facts', 1)).to.deep.equal([])
        await writer.append([fact(0, 'next')])
        expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['next'])
      })

    it('takes a value of exactly 1 MiB', async () => {
      await (await log.openWriter('w')).append([{ ...fact(0, ''), value: Buffer.alloc(1_048_576, 7) }])
      const [batch] = await log.read(at('chain-a-facts', 0, 0))
      expect(batch?.valueAt(0)?.equals(Buffer.alloc(1_048_576, 7))).to.equal(true)
    })

    it('refuses to read, bound or wait for an undeclared topic or partition', async () => {
      const { signal } = new AbortController()
      await expectFailure(log.read(at('nowhere' as TopicName, 0, 0)), 'topic_unknown')
      await expectFailure(log.bounds('chain-a-facts', 4), 'partition_out_of_range')
      await expectFailure(log.waitForAppend(at('chain-a-facts', -1, 0), signal), 'partition_out_of_range')
    })

    it('removes records older than the retention, but no unused offset after them', async () => {
      const writer = await log.openWriter('w')
      await writer.append([fact(0, 'old'), fact(0, 'old'), fact(1, 'old'), payment('kept for ever'), derived('old')])
      nowMs += 4 * dayMs
      await writer.append([fact(0, 'kept')])
      nowMs += 5 * dayMs
      await writer.append([fact(0, 'new'), fact(1, 'new')])
      const offsets = offsetsOf(await recordsOf(log, 'chain-a-facts', 0))
      expectOffsets(offsets, [0, 1, 2, 3])
      await log.maintain(nowMs)
      const [, removed = 0, kept = 0, last = 0] = offsets
      expect(await log.bounds('chain-a-facts', 0)).to.deep.equal({ startOffset: removed + 1, endOffset: last + 1 })
      expect(offsetsOf(recordsIn(await log.read(at('chain-a-facts', 0, 0))))).to.deep.equal([kept, last])
      expect(await valuesOf(log, 'chain-a-facts', 1)).to.deep.equal(['new'])
      expect(await valuesOf(log, 'payments', 0)).to.deep.equal(['kept for ever'])
      expect(await valuesOf(log, 'chain-a-derived', 0)).to.deep.equal(['old'])
      nowMs += 30 * dayMs
      await writer.append([derived('new')])
      await log.maintain(nowMs)
      const derivedBounds = await log.bounds('chain-a-derived', 0)
      expectOffsets([derivedBounds.startOffset, derivedBounds.endOffset], [1, 2])
      expect(await valuesOf(log, 'chain-a-derived', 0)).to.deep.equal(['new'])
    })

    it('keeps the newest record of an idle partition, and the records within the retention before it', async () => {
      const writer = await log.openWriter('w')
      const topicNames = ['chain-a-facts', 'chain-a-derived'] as const
      for (const text of ['first', 'second', 'last']) {
        nowMs += 5 * dayMs
        await writer.append([fact(0, text), derived(text)])
      }
      const before = await Promise.all(topicNames.map((topic) => log.bounds(topic, 0)))
      nowMs += 400 * dayMs
      for (let time = 0; time < 2; time++) await log.maintain(nowMs)
      expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['second', 'last'])
      expect(await valuesOf(log, 'chain-a-derived', 0)).to.deep.equal(['first', 'second', 'last'])
      const after = await Promise.all(topicNames.map((topic) => log.bounds(topic, 0)))
      expect(after.map(({ endOffset }) => endOffset)).to.deep.equal(before.map(({ endOffset }) => endOffset))
      await writer.append([fact(0, 'again')])
      await log.maintain(nowMs)
      expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['again'])
    })

    it('compaction keeps the newest record of each key, none if that is null, and all offsets', async () => {
      const writer = await log.openWriter('w')
      await writer.append([address('a', '1'), address('b', '1'), address('c', '1'), address('a', '2')])
      await writer.append([address('c', null), address('b', '2'), address('d', '1')])
      const before = await log.bounds('addresses', 0)
      const written = await keyed(log, 0)
      // A broker that compacts when it wants to may have done so before the first read.
      if (compactsOnMaintain) expectOffsets(offsetsOf(written), [0, 1, 2, 3, 4, 5, 6])
      await log.maintain(nowMs)
      const kept = written.filter(({ key, value }) => ['a2', 'b2', 'd1'].includes(key + value))
      expect(kept.map(({ key, value }) => key + value)).to.deep.equal(['a2', 'b2', 'd1'])
      for (let offset = 0; offset <= before.endOffset; offset++)
        expectCompacted(
          (await keyed(log, offset)).filter((record) => record.key !== 'c' || compactsOnMaintain),
          kept.filter((record) => record.offset >= offset),
        )
      expect((await log.bounds('addresses', 0)).endOffset).to.equal(before.endOffset)
      await writer.append([address('a', '3')])
      await log.maintain(nowMs)
      await log.maintain(nowMs)
      const newest = (await keyed(log, 0)).at(-1) as KeyedRecord
      expectOffsets([newest.offset], [7])
      expect([newest.key, newest.value]).to.deep.equal(['a', '3'])
      if (compactsOnMaintain) expect(await keyed(log, 0)).to.deep.equal([...kept.slice(1), newest])
    })

    it('compaction keeps the last record, so that no reader waits before the end', async () => {
      const writer = await log.openWriter('w')
      await writer.append([address('a', '1')])
      await writer.append([address('a', null)])
      for (const next of [[], [address('b', '1')]]) {
        await writer.append(next)
        const last = (await keyed(log, 0)).at(-1) as KeyedRecord
        await log.maintain(nowMs)
        expectCompacted((await keyed(log, 0)).slice(compactsOnMaintain ? 0 : -1), [last])
        expect((await log.bounds('addresses', 0)).endOffset).to.equal(last.offset + 1)
      }
    })

    it('fails every call once closed, and every wait', async () => {
      const writer = await log.openWriter('w')
      const { signal } = new AbortController()
      const waiting = expectFailure(log.waitForAppend(at('chain-a-facts', 0, 0), signal), 'log_closed')
      await log.close()
      await waiting
      await expectFailure(writer.append([fact(0, 'x')]), 'log_closed')
      await expectFailure(log.read(at('chain-a-facts', 0, 0)), 'log_closed')
      await expectFailure(log.bounds('chain-a-facts', 0), 'log_closed')
      await expectFailure(log.openWriter('w'), 'log_closed')
      await expectFailure(log.maintain(nowMs), 'log_closed')
      await expectFailure(log.waitForAppend(at('chain-a-facts', 0, 0), signal), 'log_closed')
      await log.close()
    })

    it('refuses appends of a closed writer only', async () => {
      const writer = await log.openWriter('w')
      const other = await log.openWriter('other')
      await writer.close()
      await expectFailure(writer.append([fact(0, 'x')]), 'log_closed')
      await other.append([fact(0, 'y')])
      expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['y'])
    })

    it('reads back all records, however appends and reads are cut', async () => {
      await log.close()
      await fc.assert(
        fc.asyncProperty(
          fc.array(appends, { maxLength: 8 }),
          fc.array(reads, { maxLength: 6 }),
          async (history, cuts) => {
            log = await create(() => nowMs)
            const model: string[][] = [[], [], [], []]
            const writer = await log.openWriter('w')
            for (const append of history) {
              await writer.append(append.map(({ partition, value }) => fact(partition, value)))
              for (const { partition, value } of append) model[partition]?.push(value)
            }
            for (const { partition, share, bytesMax } of cuts) {
              const all = model[partition] as string[]
              const from = Math.floor(share * all.length)
              const { startOffset, endOffset } = await log.bounds('chain-a-facts', partition)
              const offsets = [...offsetsOf(await recordsOf(log, 'chain-a-facts', partition)), endOffset]
              expectOffsets(offsets, [...all.keys(), all.length])
              const offset = offsets[from] ?? startOffset
              expect(await valuesOf(log, 'chain-a-facts', partition, offset, bytesMax)).to.deep.equal(all.slice(from))
            }
            await log.close()
          },
        ),
        { numRuns: runCount },
      )
    })
  })
}

const value = fc.oneof(
  { weight: 8, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 1, arbitrary: fc.integer({ min: 50_000, max: 200_000 }).map((length) => 'x'.repeat(length)) },
)
const appends = fc.array(fc.record({ partition: fc.nat(3), value }), { maxLength: 12 })
const reads = fc.record({
  partition: fc.nat(3),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  bytesMax: fc.nat(300_000),
})

export const fact = (partition: number, text: string): NewRecord => ({
  topic: 'chain-a-facts',
  partition,
  key: '0xaa',
  value: Buffer.from(text),
})

export const address = (key: string, text: string | null): NewRecord => ({
  topic: 'addresses',
  partition: 0,
  key,
  value: text === null ? null : Buffer.from(text),
})

const payment = (text: string): NewRecord => ({ topic: 'payments', partition: 0, key: 'p', value: Buffer.from(text) })

const derived = (text: string): NewRecord => ({ ...fact(0, text), topic: 'chain-a-derived' })

const at = (topic: TopicName, partition: number, offset: number) => ({ topic, partition, offset })

const bytesIn = (batches: readonly RecordBatch[]) => batches.reduce((sum, { bytes }) => sum + bytes.length, 0)

function recordsIn(batches: readonly RecordBatch[]) {
  return batches.flatMap((batch) =>
    Array.from({ length: batch.count }, (_, index) => ({
      offset: batch.offsetAt(index),
      key: batch.keyAt(index),
      value: batch.valueAt(index)?.toString('hex') ?? null,
      timestampMs: batch.timestampMsAt(index),
    })),
  )
}

const offsetsOf = (records: readonly Readonly<{ offset: number }>[]) => records.map(({ offset }) => offset)

/** Returns all records of a partition, with as many reads as needed. */
async function recordsOf(log: Log, topic: TopicName, partition: number) {
  const records: ReturnType<typeof recordsIn>[number][] = []
  let offset = 0
  for (;;) {
    const batches = await log.read(at(topic, partition, offset))
    if (batches.length === 0) return records
    records.push(...recordsIn(batches))
    offset = batches.at(-1)?.nextOffset ?? offset
  }
}

type KeyedRecord = Readonly<{ offset: number; key: string; value: string | null }>

/** Returns the records of `addresses` from an offset on. Reads again if a broker compacted the topic between two reads. */
async function keyed(log: Log, fromOffset: number): Promise<KeyedRecord[]> {
  const text = (hex: string | null) => (hex === null ? null : Buffer.from(hex, 'hex').toString())
  const whole = async () =>
    (await recordsOf(log, 'addresses', 0)).map(({ offset, key, value }) => ({ offset, key, value: text(value) }))
  let before = await whole()
  for (;;) {
    const here = recordsIn(await log.read(at('addresses', 0, fromOffset)))
    const after = await whole()
    if (before.length === after.length) {
      const kept = after.filter(({ offset }) => offset >= fromOffset)
      expect(offsetsOf(here)).to.deep.equal(offsetsOf(kept).slice(0, here.length))
      return kept
    }
    before = after
  }
}

const newestOf = (records: readonly KeyedRecord[]) => Object.fromEntries(records.map(({ key, value }) => [key, value]))

/** Returns all values of a partition from an offset on, with as many reads as `bytesMax` requires. */
// biome-ignore lint/complexity/useMaxParams: an offset and a size, as short as the calls above need it
export async function valuesOf(
  log: LogReader,
  topic: TopicName,
  partition: number,
  fromOffset = 0,
  bytesMax = 1 << 20,
) {
  const values: string[] = []
  let offset = fromOffset
  for (;;) {
    const batches = await log.read(at(topic, partition, offset), { bytesMax })
    if (batches.length === 0) return values
    for (const batch of batches) {
      expect(batch.count).to.be.greaterThan(0)
      for (let index = 0; index < batch.count; index++) values.push(String(batch.valueAt(index)))
      offset = batch.nextOffset
    }
  }
}

export async function expectFailure(outcome: Promise<unknown>, code: OperationErrorCode): Promise<void> {
  const error = await outcome.then(
    () => expect.fail(`resolved, where ${code} was due`),
    (failure: unknown) => failure,
  )
  if (!isOperationError(error, code)) throw error
}
