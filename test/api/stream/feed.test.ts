import { expect } from 'chai'
import fc from 'fast-check'
import { createStageFeed, type FeedLog } from '../../../api/stream/feed.ts'
import type { PublishedTick } from '../../../api/stream/published-ticks.ts'
import { OperationError } from '../../../infra/errors.ts'
import { partitionOf } from '../../../infra/log/partition-of.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import {
  address,
  buildBurst,
  buildMinute,
  buildRestated,
  buildWithdrawn,
  createDerivedLog,
  type DerivedLog,
  noonMs,
} from '../../projections/derived-log.ts'

const { partitionCount } = chainAStage.derivedTopic
const partition = partitionOf(address(1), partitionCount)

type Told = readonly [partition: number, seq: number, ...string[]]
const toldOf = ({ partition: at, tick, records }: PublishedTick): Told => [
  at,
  tick.seq,
  ...records.map(({ key, record }) => `${record.type} ${key.slice(-2)}`),
]

/** Returns the first `count` ticks that the feed delivers. */
async function read(feedLog: FeedLog, count: number, write: () => Promise<void>): Promise<readonly PublishedTick[]> {
  const stop = new AbortController()
  const seen: PublishedTick[] = []
  const feed = createStageFeed(feedLog, {
    stage: chainAStage,
    types: ['Burst'],
    onTick(published) {
      seen.push(published)
      if (seen.length >= count) stop.abort()
    },
  })
  const running = feed.run(stop.signal)
  await new Promise((resolve) => setImmediate(resolve))
  await write()
  await running
  return seen
}

describe('the feed of a stage', () => {
  it('hands out what is appended from now on: wanted records and marks in their order, once their tick is there', async () => {
    const derived = await createDerivedLog()
    await derived.tick(noonMs, [[address(1), buildBurst()]])
    const seen = await read(derived, 2 * partitionCount, async () => {
      await derived.tick(noonMs + 1, [
        [address(1), buildWithdrawn()],
        [address(1), buildMinute()],
        [address(1), buildRestated()],
        [address(1), buildBurst()],
      ])
      await derived.tick(noonMs + 2)
    })
    expect(seen.map(toldOf)).to.have.deep.members([
      [partition, 2, 'Withdrawn 01', 'Restated 01', 'Burst 01'],
      ...[0, 1, 2, 3].filter((other) => other !== partition).map((other) => [other, 2]),
      ...[0, 1, 2, 3].map((any) => [any, 3]),
    ])
    const [burst] = seen.flatMap(({ records }) => records).slice(-1)
    expect({ ...burst?.record.data }).to.deep.equal(buildBurst().data)
    expect(burst?.publishedAtMs).to.equal(noonMs + 8)
  })

  it('goes on after a failure with the tick behind the last that it handed out', async () => {
    const derived = await createDerivedLog()
    const seen: Told[] = []
    const stop = new AbortController()
    const failing = { reads: 0 }
    const log: FeedLog['log'] = {
      ...derived.log,
      read(...question) {
        if (++failing.reads === 2) throw new OperationError('log_unavailable', 'away')
        return derived.log.read(...question)
      },
    }
    const feed = createStageFeed(
      { log, registry: derived.registry },
      {
        stage: chainAStage,
        types: ['Burst'],
        onTick(published) {
          seen.push(toldOf(published))
          if (seen.length === 3 * partitionCount) stop.abort()
        },
      },
    )
    const first = feed.run(stop.signal).catch((error: OperationError) => error.code)
    await new Promise((resolve) => setImmediate(resolve))
    await derived.tick(noonMs, [[address(1), buildBurst()]])
    await derived.tick(noonMs + 1)
    expect(await first).to.equal('log_unavailable')
    await derived.tick(noonMs + 2, [[address(1), buildBurst({ atMs: noonMs + 2 })]])
    await feed.run(stop.signal)
    for (let each = 0; each < partitionCount; each++)
      expect(
        seen.filter(([at]) => at === each).map(([, seq]) => seq),
        `partition ${each}`,
      ).to.deep.equal([1, 2, 3])
    expect(seen.filter(([, , record]) => record !== undefined)).to.have.length(2)
  })

  it('moves its position after a tick was passed on: a tick whose listener failed is passed on again', async () => {
    const derived = await createDerivedLog()
    const passed: number[] = []
    const stop = new AbortController()
    let isFailing = true
    const onTick = ({ partition: at, tick }: PublishedTick) => {
      if (at !== partition) return
      if (tick.seq === 2 && isFailing) throw new RangeError('the listener failed')
      passed.push(tick.seq)
      if (tick.seq === 3) stop.abort()
    }
    const feed = createStageFeed(derived, { stage: chainAStage, types: ['Burst'], onTick })
    const failed = feed.run(stop.signal).catch((error: Error) => error.message)
    await new Promise((resolve) => setImmediate(resolve))
    for (const at of [0, 1, 2]) await derived.tick(noonMs + at)
    expect(await failed).to.equal('the listener failed')
    isFailing = false
    await feed.run(stop.signal)
    expect(passed).to.deep.equal([1, 2, 3])
  })

  it('hands out each record once and in its order, wherever it fails and starts again', async () => {
    const plans = fc.record({
      ticks: fc.array(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 4 }), { minLength: 1, maxLength: 8 }),
      failures: fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(plans, async ({ ticks, failures }) => {
        const derived = await createDerivedLog()
        const seen = await readOverFailures(derived, { ticks, failures })
        for (let token = 1; token <= 9; token++) {
          const expected = ticks.flatMap((tokens, at) => tokens.filter((each) => each === token).map(() => noonMs + at))
          expect(seen.get(address(token)) ?? [], `token ${token}`).to.deep.equal(expected)
        }
      }),
      { numRuns: 20 },
    )
  })
})

type Plan = Readonly<{ ticks: readonly (readonly number[])[]; failures: readonly number[] }>

/** Returns the times of each token's bursts in a feed. The n-th read of the log fails if `failures` has n. */
async function readOverFailures(derived: DerivedLog, { ticks, failures }: Plan) {
  const seen = new Map<string, number[]>()
  const stop = new AbortController()
  let reads = 0
  let lastTicks = 0
  const log: FeedLog['log'] = {
    ...derived.log,
    read(from, options) {
      if (failures.includes(++reads)) throw new OperationError('log_unavailable', 'away')
      return derived.log.read(from, { ...options, bytesMax: 1 })
    },
  }
  const onTick = ({ tick, records }: PublishedTick) => {
    for (const { key, record } of records) {
      const instants = seen.get(key) ?? []
      seen.set(key, instants)
      instants.push((record.data as { atMs: number }).atMs)
    }
    if (tick.seq === ticks.length && ++lastTicks === partitionCount) stop.abort()
  }
  const feed = createStageFeed({ log, registry: derived.registry }, { stage: chainAStage, types: ['Burst'], onTick })
  const runUntilDone = async () => {
    while (!stop.signal.aborted) await feed.run(stop.signal).catch(() => {})
  }
  const running = runUntilDone()
  await new Promise((resolve) => setImmediate(resolve))
  for (const [at, tokens] of ticks.entries())
    await derived.tick(
      noonMs + at,
      tokens.map((token) => [address(token), buildBurst({ atMs: noonMs + at })]),
    )
  await running
  return seen
}
