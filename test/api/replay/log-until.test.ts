/** Tests that a replay reader sees, at each clock time, exactly the records that were known at that time. */
import { expect } from 'chai'
import fc from 'fast-check'
import { createLogUntil } from '../../../api/replay/log-until.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { createCallsLog } from '../../projections/calls/derived-log.ts'
import { buildBurst, mint } from '../../projections/chain-b/derived-log.ts'
import { inBatchesOf } from '../../replay/stage-log.ts'

const { derivedTopic } = chainBStage
const topic = derivedTopic.name
const never = new AbortController().signal

describe('the log until the clock of a replay', () => {
  async function world(ticks: readonly Readonly<{ atMs: number; bursts: number }>[]) {
    const written = await createCallsLog()
    for (const { atMs, bursts } of ticks)
      await written.tick(atMs, {
        b: Array.from({ length: bursts }, (_, index) => [mint(index), buildBurst({ atMs: atMs - index })] as const),
      })
    const clock = {
      atMs: 0,
      nowMs: () => clock.atMs,
      reaches: async (atMs: number) => {
        clock.atMs = Math.max(clock.atMs, atMs)
      },
    }
    return { written, clock }
  }
  type World = Awaited<ReturnType<typeof world>>
  const until = ({ written, clock }: World, log = written.log) =>
    createLogUntil({ log, registry: written.registry, clock }, [derivedTopic])
  const offsetsFrom = async (log: Awaited<ReturnType<typeof until>>, partition: number): Promise<readonly number[]> => {
    const offsets: number[] = []
    for (let offset = 0; ; ) {
      const batches = await log.read({ topic, partition, offset })
      if (batches.length === 0) return offsets
      for (const batch of batches) {
        for (let index = 0; index < batch.count; index++) offsets.push(batch.offsetAt(index))
        offset = batch.nextOffset
      }
    }
  }
  /** Returns the offsets of each append. Every append ends with a tick. The offsets of the log have gaps. */
  const appendsIn = async ({ written }: World, partition: number): Promise<readonly (readonly number[])[]> => {
    const appends: number[][] = []
    let open: number[] = []
    for (const batch of await written.log.read({ topic, partition, offset: 0 }))
      for (let index = 0; index < batch.count; index++) {
        open.push(batch.offsetAt(index))
        if (batch.keyAt(index) !== 'tick') continue
        appends.push(open)
        open = []
      }
    return appends
  }

  it('gives whole appends, up to the last that was known, however the log is cut', async () => {
    const gaps = fc.array(fc.record({ afterMs: fc.nat(3), bursts: fc.nat(5) }), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(gaps, fc.nat(25), fc.constantFrom(1, 3, 100), async (steps, nowMs, appends) => {
        const ticks = steps.map(({ bursts }, index) => ({
          ...{ atMs: steps.slice(0, index + 1).reduce((sum, { afterMs }) => sum + afterMs, 1), bursts },
        }))
        const its = await world(ticks)
        its.clock.atMs = nowMs
        const log = await until(its, inBatchesOf(its.written.log, appends))
        for (let partition = 0; partition < derivedTopic.partitionCount; partition++) {
          const appended = await appendsIn(its, partition)
          const known = appended.filter((_, index) => (ticks[index]?.atMs ?? 0) <= nowMs).flat()
          expect(await offsetsFrom(log, partition)).to.deep.equal(known)
          const { endOffset } = await log.bounds(topic, partition)
          expect(endOffset).to.be.above(known.at(-1) ?? -1)
          expect(endOffset).to.be.at.most(appended.flat().find((offset) => offset > (known.at(-1) ?? -1)) ?? endOffset)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('is waited for until the next append was known', async () => {
    const its = await world([
      { atMs: 1_000, bursts: 1 },
      { atMs: 5_000, bursts: 1 },
    ])
    its.clock.atMs = 1_000
    const log = await until(its)
    const { endOffset: offset } = await log.bounds(topic, 0)
    expect(await log.read({ topic, partition: 0, offset })).to.deep.equal([])
    await log.waitForAppend({ topic, partition: 0, offset }, never)
    expect(its.clock.atMs).to.equal(5_000)
    expect(await log.read({ topic, partition: 0, offset })).to.have.length(1)
  })

  it('is waited for behind its end until nobody waits any more', async () => {
    const its = await world([{ atMs: 1_000, bursts: 0 }])
    its.clock.atMs = 2_000
    const log = await until(its)
    const gone = new AbortController()
    const waited = log.waitForAppend({ topic, partition: 0, offset: 1 }, gone.signal)
    gone.abort()
    await waited
    await log.waitForAppend({ topic, partition: 0, offset: 1 }, gone.signal)
  })

  it('knows only the topics that are replayed', async () => {
    const log = await until(await world([{ atMs: 1, bursts: 0 }]))
    const failure = await log.bounds('payments', 0).then(
      () => null,
      (error: Error) => error.message,
    )
    expect(failure).to.equal('topic payments is not part of the replay')
  })
})
