import { expect } from 'chai'
import fc from 'fast-check'
import { isOperationError, OperationError } from '../../../infra/errors.ts'
import type { Log, LogWriter, NewRecord } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import type { Processor, StageProcessor } from '../../../processors/processor.ts'
import type { TaskProgress } from '../../../processors/runtime/task.ts'
import { type KeyedRecord, lastSeqOf } from '../../replay/keyed-record.ts'
import { everyMs, perBlock, recut } from '../../replay/recut.ts'
import { reorgPlans, withReorgs } from '../../replay/reorgs/with-reorgs.ts'
import {
  appendFacts,
  derivedBytes as bytesOf,
  inBatchesOf,
  type OpenStage,
  openStage,
  readAll,
  runUntil,
} from '../../replay/stage-log.ts'
import { paidIn, randomFacts, rateAnswered, toyTick } from '../../replay/toy/toy-facts.ts'
import { type ToyTypes, toyStage, toyTopics } from '../../replay/toy/toy-records.ts'
import { toy } from '../../replay/toy/toy-stage.ts'
import { second } from '../../support/builders/build-facts.ts'
import { createHoledLog } from '../../support/log/holed-log.ts'

const partition = 2
const account = 'ada'
const [factTopic, derivedTopic] = ['toy-facts', 'toy-derived']
const derivedBytes = (log: Log) => bytesOf(log, toyStage, partition)

/** Ticks 1 to `ticks` with one payment each. */
const plainFacts = (ticks: number): KeyedRecord<ToyTypes>[] =>
  Array.from({ length: ticks }, (_, at) => [
    { key: account, record: paidIn({ blockAtMs: second(at + 1), blockNumber: at + 1 }) },
    {
      key: 'tick',
      record: {
        type: 'Tick' as const,
        data: toyTick({ seq: at + 1, blockAtMs: second(at + 1), blockNumber: at + 1 }),
      },
    },
  ]).flat()

/** Facts of a chain with a few reorgs, or without any. */
const factsOfAnyChain = fc.oneof(
  randomFacts({ hasAnswers: true }),
  fc
    .tuple(randomFacts({ hasAnswers: true }), reorgPlans(fc.nat(12)))
    .map(([facts, plans]) => withReorgs(toyStage, facts, plans)),
)

/**
 * Returns a log whose stage writer fails at append number `append`. If `isWritten`, the writer fails after
 * the records are written.
 */
function dyingAt(log: Log, append: number, isWritten: boolean): Log {
  let appended = 0
  const dying = (writer: LogWriter): LogWriter => ({
    ...writer,
    async append(records: readonly NewRecord[]) {
      appended += 1
      if (appended === append && !isWritten) throw new OperationError('program_failed', 'killed before the append')
      await writer.append(records)
      if (appended === append) throw new OperationError('program_failed', 'killed after the append')
    },
  })
  return {
    ...log,
    async openWriter(writerId, options) {
      const writer = await log.openWriter(writerId, options)
      return writerId.startsWith('stage-') ? dying(writer) : writer
    },
  }
}

async function failureOf(running: Promise<void>): Promise<OperationError> {
  try {
    await running
  } catch (error) {
    if (isOperationError(error)) return error
    throw error
  }
  throw new OperationError('program_failed', 'it did not fail')
}

/** A log with or without holes in its offsets. Equal records must give equal output on both. */
const anyLog = fc.constantFrom(createMemoryLog, createHoledLog)

describe('a stage task', () => {
  let open: OpenStage<ToyTypes>
  before(async () => {
    open = await openStage(toy, undefined, toyTopics)
  })

  const logOf = async (records: readonly KeyedRecord<ToyTypes>[], create = createMemoryLog): Promise<Log> => {
    const log = create({ nowMs: () => 0, topicTable: toyTopics })
    await appendFacts({ ...open, log, partition }, records)
    return log
  }
  const target = () => ({ ...open, partition })
  type Options = Readonly<{ snapshotEveryMs?: number; processors?: readonly StageProcessor<ToyTypes>[] }>
  const run = (log: Log, seq: number, options: Options = {}) => runUntil(target(), seq, { log, ...options })
  const inOneRun = async (records: readonly KeyedRecord<ToyTypes>[]) => {
    const log = await logOf(records)
    await run(log, lastSeqOf(records))
    return derivedBytes(log)
  }

  it('publishes the outputs of a tick and then the tick, one append for whole ticks', async () => {
    const log = await logOf(plainFacts(2))
    await run(log, 2)
    const stored = await readAll(log, derivedTopic, partition)
    const types = stored.map(({ value }) => open.derivedCodec.decode(value!).type)
    expect(types).to.deep.equal(['Balance', 'Tick', 'Balance', 'Reminder', 'Tick'])
    expect(stored.map(({ key }) => key)).to.deep.equal([account, 'tick', account, account, 'tick'])
    expect({ ...open.derivedCodec.decode(stored.at(-1)!.value!).data }).to.deep.equal(plainFacts(2).at(-1)!.record.data)
  })

  it('commits a tick as it comes', async () => {
    const log = await logOf(plainFacts(1))
    const seen: number[] = []
    await runUntil(target(), 3, {
      log,
      onProgress: ({ seq }: TaskProgress) => {
        seen.push(seq)
        if (seq < 3) void appendFacts({ ...open, log, partition }, plainFacts(3).slice(seq * 2, seq * 2 + 2))
      },
    })
    expect(seen).to.deep.equal([1, 2, 3])
  })

  it('gives the same bytes in batches of 1, 7 and 1000 ticks', () =>
    fc.assert(
      fc.asyncProperty(randomFacts({ hasAnswers: true }), async (records) => {
        const expected = await inOneRun(records)
        for (const appends of [1, 7, 1000]) {
          const log = await logOf(records, createHoledLog)
          await run(inBatchesOf(log, appends), lastSeqOf(records))
          expect(await derivedBytes(log)).to.deep.equal(expected)
        }
      }),
      { numRuns: 40 },
    ))

  it('gives the same bytes when restarted at every tick, from the first fact and from snapshots', () =>
    fc.assert(
      fc.asyncProperty(randomFacts({ hasAnswers: true }), anyLog, async (records, createLog) => {
        const expected = await inOneRun(records)
        // Snapshots are written in every run, in no run, or in every third run. In the last case, several
        // runs start from the same snapshot.
        for (const everyRuns of [1, Number.POSITIVE_INFINITY, 3]) {
          const log = await logOf(records, createLog)
          for (let seq = 1; seq <= lastSeqOf(records); seq++) {
            const snapshotEveryMs = seq % everyRuns === 0 ? 0 : Number.POSITIVE_INFINITY
            await run(inBatchesOf(log, 1), seq, { snapshotEveryMs })
          }
          expect(await derivedBytes(log)).to.deep.equal(expected)
        }
      }),
      { numRuns: 25 },
    ))

  it('leaves nothing out when stopped in the middle of what it read', async () => {
    // With a snapshot at every tick, the task also commits at every tick. So some batches are still unread
    // when the task stops.
    const records = plainFacts(9)
    const expected = await inOneRun(records)
    let stopsInside = 0
    for (let seq = 1; seq < 9; seq++) {
      const log = await logOf([])
      const writer = await log.openWriter('ingest-toy')
      const encoded = records.map(({ key, record }) => {
        const value = open.factCodec.encode(record.type, record.data)
        return { topic: factTopic, partition, key, value }
      })
      // With three records per batch, some ticks end inside a batch and others at the end of a batch.
      for (let at = 0; at < encoded.length; at += 3) await writer.append(encoded.slice(at, at + 3))
      await run(log, seq, { snapshotEveryMs: 0 })
      if ((await derivedBytes(log)).length < expected.length) stopsInside += 1
      await run(log, 9)
      expect(await derivedBytes(log)).to.deep.equal(expected)
    }
    expect(stopsInside).to.be.greaterThan(3)
  })

  it('gives the same bytes when killed around any append', () =>
    fc.assert(
      fc.asyncProperty(
        factsOfAnyChain,
        fc.array(fc.record({ append: fc.integer({ min: 1, max: 4 }), isWritten: fc.boolean() }), { maxLength: 5 }),
        fc.record({ snapshotEveryMs: fc.constantFrom(0, Number.POSITIVE_INFINITY), createLog: anyLog }),
        async (records, kills, { snapshotEveryMs, createLog }) => {
          const expected = await inOneRun(records)
          const log = await logOf(records, createLog)
          const seq = lastSeqOf(records)
          for (const { append, isWritten } of kills)
            await run(dyingAt(inBatchesOf(log, 1), append, isWritten), seq, { snapshotEveryMs }).catch(() => {})
          await run(log, seq, { snapshotEveryMs })
          expect(await derivedBytes(log)).to.deep.equal(expected)
        },
      ),
      { numRuns: 40 },
    ))

  it('gives equal derived records from a log cut again', () =>
    fc.assert(
      fc.asyncProperty(randomFacts({ hasAnswers: false }), async (records) => {
        const withoutTicks = async (cut: readonly KeyedRecord<ToyTypes>[]) =>
          (await inOneRun(cut)).filter((text) => !text.startsWith('tick '))
        const expected = await withoutTicks(records)
        for (const cut of [perBlock, everyMs(1000), everyMs(3_600_000)])
          expect(await withoutTicks(recut(records, cut))).to.deep.equal(expected)
      }),
      { numRuns: 30 },
    ))

  it('folds from the snapshot, not from the first fact', async () => {
    const log = await logOf(plainFacts(6))
    await run(inBatchesOf(log, 1), 4, { snapshotEveryMs: 0 })
    const folded: string[] = []
    const watching: Processor<object, ToyTypes> = {
      name: 'balances',
      initialState: () => ({}),
      onFact: (_, fact) => void folded.push(String((fact.data.blockAtMs - second(0)) / 1000)),
      isEmpty: () => false,
    }
    // The processors have the same names as those of the toy stage, so the task can restore the snapshot of
    // tick 4.
    await run(log, 6, { processors: [watching, toy.processors[1]!] })
    expect(folded).to.deep.equal(['5', '6'])
  })

  it('fences the task that ran before', async () => {
    const log = await logOf(plainFacts(1))
    const failed = await failureOf(
      runUntil(target(), 3, {
        log,
        onProgress: ({ seq }: TaskProgress) => {
          if (seq !== 1) return
          void (async () => {
            await log.openWriter(`stage-toy-${partition}`)
            await appendFacts({ ...open, log, partition }, plainFacts(2).slice(2))
          })()
        },
      }),
    )
    expect(failed.code).to.equal('writer_fenced')
    const ticks = (await derivedBytes(log)).filter((text) => text.startsWith('tick '))
    expect(ticks).to.have.length(1)
  })

  it('halts at a fact that cannot be read, naming its place', async () => {
    const log = await logOf(plainFacts(2))
    const writer = await log.openWriter('ingest-toy')
    const value = Buffer.from([0, 0, 0, 0, 3, 0xff])
    await writer.append([{ topic: factTopic, partition, key: account, value }])
    const failed = await failureOf(run(log, 3))
    expect(failed.code).to.equal('record_corrupt')
    expect(failed.message).to.include('toy-facts/2 cannot be read at offset 4')
    expect(failed.context).to.deep.equal({ topic: factTopic, partition: 2, offset: 4 })
  })

  it('halts at a schema that nobody knows', async () => {
    const log = await logOf([])
    const writer = await log.openWriter('ingest-toy')
    const value = Buffer.from([0, 0, 0, 9, 9, 1])
    await writer.append([{ topic: factTopic, partition, key: account, value }])
    const failed = await failureOf(run(log, 1))
    expect(failed.code).to.equal('record_corrupt')
    expect(failed.message).to.include('offset 0')
  })

  it('catches a processor that is not deterministic at the next start', async () => {
    let runs = 0
    const moody: Processor<{ run: number }, ToyTypes> = {
      name: 'moody',
      initialState: () => ({ run: runs }),
      onBlockEnd: (state, block, context) =>
        context.emit({ type: 'Reminder', data: { number: 1, dueAtMs: block.number === 2 ? state.run : 0 } }),
      isEmpty: () => false,
    }
    const log = await logOf(plainFacts(3))
    await run(log, 3, { processors: [moody] })
    const published = await derivedBytes(log)
    runs = 1
    const failed = await failureOf(run(log, 3, { processors: [moody] }))
    expect(failed.code).to.equal('determinism_broken')
    expect(failed.context).to.include({ seq: 2, index: 0, recordType: 'Reminder', partition })
    expect(await derivedBytes(log)).to.deep.equal(published)
  })

  it('holds nothing against what other rules published', async () => {
    const facts = plainFacts(4)
    const older = facts.map(({ key, record }, at) =>
      record.type === 'Tick' && at < 4
        ? { key, record: { ...record, data: { ...record.data, rulesVersion: 'toy-0' } } }
        : { key, record },
    )
    const log = await logOf(older)
    await run(inBatchesOf(log, 1), 2, { processors: [] })
    await run(inBatchesOf(log, 1), 4)
    const types = (await readAll(log, derivedTopic, partition)).map(
      ({ value }) => open.derivedCodec.decode(value!).type,
    )
    expect(types.slice(0, 2)).to.deep.equal(['Tick', 'Tick'])
    expect(types.slice(2)).to.include('Balance')
    await run(log, 4)
  })

  it('refuses facts that begin after its last commit', async () => {
    const log = await logOf(plainFacts(5).slice(6))
    const writer = await log.openWriter('elsewhere')
    const value = open.derivedCodec.encode('Tick', toyTick({ seq: 1 }))
    await writer.append([{ topic: derivedTopic, partition, key: 'tick', value }])
    expect((await failureOf(run(log, 5))).code).to.equal('offset_out_of_range')
  })

  /**
   * Returns a log with ticks 1 to 3, and functions for a week later. `takeFirstWeek` lets retention remove
   * old records, and `appendSecondWeek` adds ticks 4 to 6. Each append leaves a hole in the offsets.
   */
  const logOfTwoWeeks = async (records = plainFacts(6)) => {
    let nowMs = 0
    const log = createMemoryLog({ nowMs: () => nowMs, gapAfter: () => 2, topicTable: toyTopics })
    const takeFirstWeek = () => log.maintain(nowMs)
    await appendFacts({ ...open, log, partition }, records.slice(0, 6))
    const appendSecondWeek = () => {
      nowMs = 8 * 86_400_000
      return appendFacts({ ...open, log, partition }, records.slice(6))
    }
    return { log, takeFirstWeek, appendSecondWeek }
  }

  it('goes on behind a hole that retention took along with the facts it has seen', async () => {
    const { log, takeFirstWeek, appendSecondWeek } = await logOfTwoWeeks()
    await run(log, 3, { snapshotEveryMs: 0 })
    await appendSecondWeek()
    await takeFirstWeek()
    await run(log, 6)
    expect(await derivedBytes(log)).to.deep.equal(await inOneRun(plainFacts(6)))
  })

  it('restates from a state behind which only a hole is gone', async () => {
    const records = plainFacts(6).map(({ key, record }) => {
      if (record.type !== 'Tick' || record.data.seq !== 4) return { key, record }
      return { key, record: { ...record, data: { ...record.data, revertedFrom: record.data.blockNumber } } }
    })
    const { log, takeFirstWeek, appendSecondWeek } = await logOfTwoWeeks(records)
    await run(log, 3, { snapshotEveryMs: 0 })
    await appendSecondWeek()
    await takeFirstWeek()
    await run(log, 6)
    expect(await derivedBytes(log)).to.deep.equal(await inOneRun(records))
  })

  it('refuses to go on over facts that retention took before it read them', async () => {
    const { log, takeFirstWeek, appendSecondWeek } = await logOfTwoWeeks()
    await appendSecondWeek()
    const failed = await failureOf(
      runUntil(target(), 6, {
        log: inBatchesOf(log, 1),
        onProgress: ({ seq }: TaskProgress) => {
          if (seq === 2) void takeFirstWeek()
        },
      }),
    )
    expect(failed.code).to.equal('offset_out_of_range')
    expect(failed.context).to.include({ previousSeq: 2 })
  })

  // The facts before an offset are removed. The snapshot of tick 3 has the facts up to tick 3.
  //   offset             0 to 5      6         7         8
  //   fact               ticks 1–3   answer    payment   tick 4
  //   missing from here  nothing     answer    answer and payment
  describe('whose facts are cut off after tick 3', () => {
    const answer = { topic: factTopic, partition, key: account }
    const begin = async () => {
      const log = await logOf(plainFacts(3))
      await run(log, 3, { snapshotEveryMs: 0 })
      const value = open.factCodec.encode('RateAnswered', rateAnswered('q').data)
      await (await log.openWriter('lookups')).append([{ ...answer, value }])
      await appendFacts({ ...open, log, partition }, plainFacts(4).slice(6))
      return log
    }
    /** Returns the log as if retention had removed the facts before `startOffset`. */
    const cutAt = (log: Log, startOffset: () => number): Log => ({
      ...log,
      bounds: async (topic, of) => {
        const bounds = await log.bounds(topic, of)
        return topic === factTopic ? { ...bounds, startOffset: startOffset() } : bounds
      },
      read: (from, options) =>
        log.read(from.topic === factTopic ? { ...from, offset: Math.max(from.offset, startOffset()) } : from, options),
    })
    const cuts: [string, number][] = [
      ['an answer is missing', 7],
      ['a part of a tick is missing', 8],
    ]

    it('continues after its snapshot if none is missing', async () => {
      const log = await begin()
      const whole = await begin()
      await run(whole, 4)
      await run(
        cutAt(log, () => 6),
        4,
      )
      expect(await derivedBytes(log)).to.deep.equal(await derivedBytes(whole))
    })

    for (const [what, startOffset] of cuts) {
      it(`refuses to continue after its snapshot if ${what}, and publishes nothing`, async () => {
        const log = await begin()
        const published = await derivedBytes(log)
        const failed = await failureOf(
          run(
            cutAt(log, () => startOffset),
            4,
          ),
        )
        expect(failed.code).to.equal('offset_out_of_range')
        expect(failed.context).to.include({ factsOffset: 6 })
        expect(await derivedBytes(log)).to.deep.equal(published)
      })

      it(`refuses to continue while it runs if ${what}, and publishes nothing`, async () => {
        const log = await begin()
        const published = await derivedBytes(log)
        let start = 0
        const onProgress = ({ seq }: TaskProgress) => {
          if (seq === 3) start = startOffset
        }
        const cut = inBatchesOf(
          cutAt(log, () => start),
          1,
        )
        const failed = await failureOf(runUntil(target(), 4, { log: cut, onProgress }))
        expect(failed.code).to.equal('offset_out_of_range')
        expect(failed.context).to.include({ factsOffset: 6 })
        expect(await derivedBytes(log)).to.deep.equal(published)
      })
    }
  })

  it('closes every writer that it opened, when stopped and when it fails', async () => {
    const opened = new Set<string>()
    const watched = (log: Log): Log => ({
      ...log,
      async openWriter(writerId, options) {
        const writer = await log.openWriter(writerId, options)
        opened.add(writerId)
        return {
          ...writer,
          async close() {
            opened.delete(writerId)
            await writer.close()
          },
        }
      },
    })
    const log = await logOf(plainFacts(3))
    await run(watched(log), 3, { snapshotEveryMs: 0 })
    expect([...opened]).to.deep.equal([])
    await failureOf(run(dyingAt(watched(await logOf(plainFacts(3))), 1, false), 3))
    expect([...opened]).to.deep.equal([])
  })

  it('refuses an output partition that does not end with a tick', async () => {
    const log = await logOf(plainFacts(1))
    const writer = await log.openWriter('elsewhere')
    const value = open.derivedCodec.encode('Reminder', { number: 1, dueAtMs: 1 })
    await writer.append([{ topic: derivedTopic, partition, key: account, value }])
    expect((await failureOf(run(log, 1))).message).to.include('ends with a Reminder')
  })
})
