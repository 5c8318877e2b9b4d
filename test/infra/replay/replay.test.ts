import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { createEmbeddedRegistry, createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createEmbeddedLog } from '../../../infra/log/embedded/embedded-log.ts'
import { openEmbeddedReader } from '../../../infra/log/embedded/open-embedded-log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import type { ReplayEnd } from '../../../infra/replay/read-replay.ts'
import { type ReplayLog, type ReplayOptions, replay } from '../../../infra/replay/replay.ts'
import { jsonOf, type ReplayedRecord } from '../../../infra/replay/replayed-record.ts'
import { topics } from '../../../schemas/topics.ts'
import { expectFailure } from '../../contracts/log-contract.ts'
import { inBatchesOf } from '../../replay/stage-log.ts'
import { second } from '../../support/builders/build-facts.ts'
import { createVirtualTime } from '../../support/virtual-time.ts'
import {
  asReplayLog,
  drawnSteps,
  knownAtOf,
  nameOf,
  type Step,
  sortedByForce,
  stepsOfSwaps,
  writeSteps,
} from './drawn-log.ts'

/**
 * The range of a chain's topics ends at the last tick of that chain. The last step belongs to the other
 * chain.
 */
const heldUntil = (steps: readonly Step[]): number => knownAtOf(steps.at(-2) as Step)
const heldSince = (steps: readonly Step[]): number => knownAtOf(steps[1] as Step)

describe('a replay', () => {
  const memoryLogOf = async (steps: readonly Step[], gapAfter = () => 0) => {
    const log = createMemoryLog({ nowMs: () => 0, gapAfter })
    const registry = createMemoryRegistry()
    await writeSteps(log, registry, steps)
    return { log, replayLog: asReplayLog(log, registry) }
  }

  it('gives all records of the range, once and in the one order, as a sort of all gives them', async () => {
    await fc.assert(
      fc.asyncProperty(drawnSteps, fc.nat(100), fc.nat(100), async (steps, first, second_) => {
        const { replayLog } = await memoryLogOf(steps)
        const [from, to] = rangeIn(steps, first, second_)
        const read = await readAll({ from, to, log: replayLog })
        expect(read.records.map(nameOf)).to.deep.equal(sortedByForce(steps, from, to))
        expect(read.end?.records).to.equal(read.records.length)
      }),
      { numRuns: 15 },
    )
  })

  it('goes on where another one ended', async () => {
    await fc.assert(
      fc.asyncProperty(drawnSteps, fc.nat(100), async (steps, place) => {
        const { replayLog } = await memoryLogOf(steps)
        const [from, to] = [heldSince(steps), heldUntil(steps)]
        fc.pre(from < to - 1)
        const middle = from + 1 + Math.floor((place / 101) * (to - from - 1))
        const whole = await readAll({ from, to, log: replayLog })
        const parts = [
          await readAll({ from, to: middle, log: replayLog }),
          await readAll({ from: middle, to, log: replayLog }),
        ]
        expect(parts.flatMap(({ records }) => records.map(jsonOf))).to.deep.equal(whole.records.map(jsonOf))
        expect((await readAll({ from, to, log: replayLog })).end).to.deep.equal(whole.end)
      }),
      { numRuns: 10 },
    )
  })

  it('has the same hash on the embedded log, and on one with other offsets and smaller reads', async () => {
    const root = mkdtempSync(join(tmpdir(), 'replay-'))
    await fc.assert(
      fc.asyncProperty(drawnSteps, async (steps) => {
        const range = { from: heldSince(steps), to: heldUntil(steps) }
        fc.pre(range.from < range.to)
        const { replayLog } = await memoryLogOf(steps)
        const { log: gappy, replayLog: inGaps } = await memoryLogOf(steps, () => 2)
        const small = { ...inGaps, open: { ...inGaps.open, log: inBatchesOf(gappy, 1) } }
        const embedded = await embeddedLogOf(mkdtempSync(join(root, 'log-')), steps)
        const ends = []
        for (const log of [replayLog, small, embedded.replayLog]) ends.push((await readAll({ ...range, log })).end)
        await embedded.close()
        expect(ends[1]).to.deep.equal(ends[0])
        expect(ends[2]).to.deep.equal(ends[0])
      }),
      { numRuns: 3 },
    )
    rmSync(root, { recursive: true })
  })

  describe('of a small log', () => {
    const stepsTo = (count: number): Step[] => stepsOfSwaps(Array.from({ length: count }, (_, index) => index))

    it('tells the times of each record, exact values, and whether it is final', async () => {
      const { replayLog } = await memoryLogOf(stepsTo(10))
      // There is one block per second, and the newest block is 9 s after the first. So five seconds of blocks
      // are not final.
      const stages = replayLog.stages.map((stage) => ({ ...stage, reorgBlocksMax: 5 }))
      const { records } = await readAll({
        from: second(5),
        to: second(8),
        types: ['Swap'],
        log: { ...replayLog, stages },
      })
      expect(records.map(({ eventAt, knownAt, isFinal }) => ({ eventAt, knownAt, isFinal }))).to.deep.equal([
        { eventAt: second(3), knownAt: second(5), isFinal: true },
        { eventAt: second(4), knownAt: second(6), isFinal: true },
        { eventAt: second(5), knownAt: second(7), isFinal: false },
      ])
      expect(records[0]?.data.ethWei).to.equal(10n ** 17n)
      expect(records[0]?.publishedAt).to.equal(0)
    })

    it('gives the wanted types and topics alone, and refuses names that there are not', async () => {
      const { replayLog: log } = await memoryLogOf(stepsTo(10))
      const range = { from: second(5), to: second(8), log }
      expect((await readAll({ ...range, types: ['Tick'] })).records.map(({ topic }) => topic)).to.deep.equal([
        'chain-a-derived',
        'chain-a-derived',
        'chain-a-derived',
      ])
      expect((await readAll({ ...range, topics: ['chain-a-facts'] })).records).to.have.lengthOf(6)
      await expectFailure(readAll({ ...range, types: ['Swop' as 'Swap'] }), 'config_invalid')
      await expectFailure(readAll({ ...range, topics: ['chat-posts' as 'chain-a-facts'] }), 'config_invalid')
      await expectFailure(readAll({ ...range, to: range.from }), 'config_invalid')
    })

    it('refuses a range that is not held, and names the one that is', async () => {
      const { log, replayLog } = await memoryLogOf(stepsTo(10))
      const refusalOf = (from: number, to: number) =>
        readAll({ from: second(from), to: second(to), log: replayLog }).then(
          () => expect.fail('was read'),
          (error: Error) => error.message,
        )
      // All topics hold the same range, so the message does not list them.
      expect(await refusalOf(1, 8)).to.match(
        /\. It holds 2026-01-01T00:00:02.000Z to 2026-01-01T00:00:11.000Z\. Choose a range within that$/,
      )
      await readAll({ from: second(2), to: second(11), log: replayLog })
      await log.maintain(0)
      const removing = createMemoryLog({ nowMs: () => nowMs })
      let nowMs = second(0)
      const registry = createMemoryRegistry()
      const spaced = stepsOfSwaps(Array.from({ length: 10 }, (_, index) => 100 * index))
      await writeSteps(removing, registry, spaced.slice(0, 5))
      nowMs += 8 * 86_400_000
      await writeSteps(removing, registry, spaced.slice(5))
      await removing.maintain(nowMs)
      const message = await readAll({ from: second(300), to: second(800), log: asReplayLog(removing, registry) }).then(
        () => expect.fail('was read'),
        (error: Error) => error.message,
      )
      // The range begins 1 ms after the first remaining tick, because some records of that tick may be
      // removed.
      expect(message).to.contain('chain-a-facts: 2026-01-01T00:08:22.001Z to 2026-01-01T00:15:02.000Z')
      expect(message).to.contain('chain-a-derived: 2026-01-01T00:00:02.000Z to')
      const { records } = await readAll({
        ...{ from: second(300), to: second(800), topics: ['chain-a-derived'] as const },
        log: asReplayLog(removing, registry),
      })
      expect(records).to.have.lengthOf(5)
    })

    it('refuses when a stage has not written yet what it is to give', async () => {
      const steps = stepsTo(5).map(({ records, tick }) => ({
        records,
        tick: tick.filter(({ topic }) => topic === 'chain-a-facts'),
      }))
      const { replayLog: log } = await memoryLogOf(steps)
      await expectFailure(readAll({ from: second(2), to: second(4), log }), 'range_not_held')
      expect((await readAll({ from: second(2), to: second(4), log, types: ['Swap'] })).records).to.have.lengthOf(2)
    })

    it('fails when retention removes what it has not read yet', async () => {
      let nowMs = second(0)
      const log = createMemoryLog({ nowMs: () => nowMs })
      const registry = createMemoryRegistry()
      await writeSteps(log, registry, stepsTo(5))
      nowMs += 8 * 86_400_000
      await writeSteps(log, registry, stepsTo(10).slice(5))
      const small = asReplayLog(inBatchesOf(log, 1), registry)
      const records = replay({ from: second(2), to: second(11), types: ['Swap'], log: small })
      await records.next()
      await log.maintain(nowMs)
      const rest = async () => {
        for await (const _ of records);
      }
      await expectFailure(rest(), 'range_not_held')
    })

    it('waits for a log that grows towards the end of the range, and not for one that stands still', async () => {
      const time = createVirtualTime(second(12))
      const { log, replayLog } = await memoryLogOf(stepsTo(5))
      const rest = stepsTo(20).slice(5)
      const writing = (async () => {
        for (const step of rest.slice(0, 9)) {
          await time.delay(1_000, new AbortController().signal)
          await writeSteps(log, replayLog.open.registry as never, [step])
        }
      })()
      const clock = { nowMs: time.nowMs, delay: time.delay }
      const range = { from: second(2), to: 'now', types: ['Swap'] as const, log: { ...replayLog, clock } }
      const { records } = await time.run(readAll(range))
      expect(records).to.have.lengthOf(10)
      await time.run(writing)
      await time.run(time.delay(60_000, new AbortController().signal))
      await time.run(expectFailure(readAll(range), 'range_not_held'))
    })

    it('goes at the speed that is asked', async () => {
      const time = createVirtualTime(second(1000))
      const { replayLog } = await memoryLogOf(stepsTo(10))
      const clock = { nowMs: time.nowMs, delay: time.delay }
      const at: number[] = []
      const read = async () => {
        const options = { from: second(2), to: second(11), types: ['Swap'] as const, speed: 2 }
        for await (const _ of replay({ ...options, log: { ...replayLog, clock } })) at.push(time.nowMs() - second(1000))
      }
      await time.run(read())
      expect(at).to.deep.equal([0, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000])
    })

    it('stops when it is told to, without an end', async () => {
      const { replayLog: log } = await memoryLogOf(stepsTo(10))
      const stop = new AbortController()
      let end: ReplayEnd | null = null
      let count = 0
      const options = { from: second(2), to: second(11), types: ['Swap'] as const, signal: stop.signal, log }
      for await (const _ of replay({
        ...options,
        onEnd: (its) => {
          end = its
        },
      }))
        if (++count === 3) stop.abort()
      expect(count).to.equal(3)
      expect(end).to.equal(null)
    })
  })
})

/** Returns two random instants within the range of the log. */
function rangeIn(steps: readonly Step[], first: number, other: number): readonly [number, number] {
  const [since, until] = [heldSince(steps), heldUntil(steps)]
  fc.pre(since + 1 < until)
  const at = (share: number) => since + Math.floor(((until - since) * share) / 100)
  const [from, to] = [at(Math.min(first, other)), at(Math.max(first, other))]
  return from < to ? [from, to] : [from, Math.min(from + 1, until)]
}

async function readAll<const Type extends ReplayedRecord['type'] = ReplayedRecord['type']>(
  options: ReplayOptions<Type>,
) {
  let end: ReplayEnd | null = null
  const records = []
  for await (const record of replay({
    ...options,
    onEnd: (its) => {
      end = its
    },
  }))
    records.push(record)
  return { records, end: end as ReplayEnd | null }
}

async function embeddedLogOf(
  dataDir: string,
  steps: readonly Step[],
): Promise<Readonly<{ replayLog: ReplayLog; close(): Promise<void> }>> {
  const log = await createEmbeddedLog({ dataDir, nowMs: () => second(100) })
  const registry = await createEmbeddedRegistry({ dataDir })
  await writeSteps(log, registry, steps)
  await log.close()
  await registry.close()
  const open = await openEmbeddedReader(dataDir, topics)
  return { replayLog: { ...asReplayLog(createMemoryLog({ nowMs: () => 0 })), open }, close: open.close }
}
