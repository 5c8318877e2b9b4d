import { expect } from 'chai'
import fc from 'fast-check'
import {
  createResumeWorld,
  type Frame,
  hashOf,
  isRow,
  type Kind,
  kinds,
  offsetsOf,
  type Reader,
} from './resume-world.ts'

type World = Awaited<ReturnType<typeof createResumeWorld>>

/** The rows that were sent again, which are those before `caught-up`, and the data of `caught-up`. */
function againOf(reader: Reader) {
  const frames = reader.frames()
  const end = frames.findIndex(({ name }) => name === 'caught-up')
  return { rows: frames.slice(0, end).filter(isRow), caughtUp: frames[end] ?? expect.fail('it has not caught up') }
}

const linesOf = (frames: readonly Frame[]) => frames.map(({ line }) => line)
const sorted = (frames: readonly Frame[]) => linesOf(frames).sort()

describe('a stream that continues after a cursor', () => {
  let world: World
  beforeEach(async () => {
    world = await createResumeWorld()
    await world.settle()
  })
  afterEach(() => world.close())

  /**
   *     log of partition 0   b1 b2 |      b3 |
   *     log of partition 1         b4 |          b5 |
   *     the first client     hello b1  killed
   *     the second client                           hello b2 b3 b4 caught-up b5
   */
  it('says hello, sends the missed events with the same data, says how many and their hash, and goes on live', async () => {
    const whole = await world.read()
    const first = await world.read()
    await world.tick(0, ['burst', 'burst'])
    await world.settle()
    first.close()
    const cursor = first.frames().filter(isRow)[0]?.id ?? ''
    await world.tick(1, ['burst'])
    await world.tick(0, ['minute', 'burst'])
    await world.settle()
    const second = await world.read({ from: cursor })
    await world.settle(second.hasCaughtUp)
    await world.tick(1, ['burst'])
    await world.settle()

    const [hello] = second.frames()
    expect([hello?.name, hello?.id], 'a client that gets no more than hello loses nothing').to.deep.equal([
      'hello',
      cursor,
    ])
    const { rows, caughtUp } = againOf(second)
    const missed = whole.frames().filter(isRow).slice(1, 4)
    expect(linesOf(rows)).to.deep.equal(linesOf(missed))
    expect(caughtUp.data).to.deep.include({ type: 'caught-up', from: cursor, count: 3, hash: hashOf(rows) })
    expect(caughtUp.id).to.equal(missed[2]?.id?.replace(/^\w+/, (text) => (Number.parseInt(text, 36) + 1).toString(36)))
    const live = second
      .frames()
      .slice(second.frames().indexOf(second.frames().find(({ name }) => name === 'caught-up') as Frame))
    expect(linesOf(second.frames().filter(isRow))).to.deep.equal(linesOf(whole.frames().filter(isRow).slice(1)))
    expect(live.length).to.be.at.least(1)
    expect(world.stream.eventsAgainCount()).to.equal(3)
    expect(world.stream.resumeCounts()).to.deep.equal({ done: 1, ended: 0, failed: 0, refused: 0 })
  })

  it('sends nothing again to a client that missed nothing, and says so with the hash of nothing', async () => {
    const whole = await world.read()
    await world.tick(0, ['burst'])
    await world.settle()
    const again = await world.read({ from: whole.frames().at(-1)?.id })
    await world.settle(again.hasCaughtUp)
    expect(again.frames().map(({ name }) => name)).to.deep.equal(['hello', 'caught-up'])
    expect(again.frames()[1]?.data).to.deep.include({ count: 0, hash: hashOf([]) })
  })

  it('continues inside a tick, and keeps the mark of a corrected row with its row', async () => {
    const whole = await world.read()
    await world.tick(2, ['burst', 'restated', 'withdrawn', 'restated'])
    await world.settle()
    const rows = whole.frames().filter(isRow)
    expect(rows.map(({ name }) => name)).to.deep.equal(['burst', 'restated', 'withdrawn', 'restated'])
    for (const [index, { id }] of rows.entries()) {
      const again = await world.read({ from: id })
      await world.settle(again.hasCaughtUp)
      expect(linesOf(againOf(again).rows), `after event ${index}`).to.deep.equal(linesOf(rows.slice(index + 1)))
      again.close()
    }
  })

  it('reads Last-Event-ID only with resume=1, and prefers `from`', async () => {
    const whole = await world.read()
    const start = whole.frames()[0]?.id ?? ''
    await world.tick(0, ['burst'])
    await world.settle()
    const end = whole.frames().at(-1)?.id ?? ''
    const countOf = async (asked: Parameters<World['read']>[0]) => {
      const reader = await world.read(asked)
      await world.settle(() => asked?.resume === undefined || reader.hasCaughtUp())
      const count = reader.frames().find(({ name }) => name === 'caught-up')?.data.count ?? 'live'
      reader.close()
      return count
    }
    expect(await countOf({ lastEventId: start })).to.equal('live')
    expect(await countOf({ lastEventId: start, resume: '1' })).to.equal(1)
    expect(await countOf({ lastEventId: start, from: end, resume: '1' })).to.equal(0)
    const first = await world.read({ lastEventId: '', resume: '1' })
    await world.settle()
    expect(
      first.frames().map(({ name }) => name),
      'a browser connects for the first time',
    ).to.deep.equal(['hello'])
  })
})

type Step =
  | Readonly<{ do: 'tick'; partition: number; of: readonly Kind[] }>
  /** Stops the client after this share of its frames, in thousandths. */
  | Readonly<{ do: 'kill'; share: number }>
  | Readonly<{ do: 'turns'; count: number }>

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('tick' as const),
      partition: fc.nat(3),
      of: fc.array(fc.constantFrom(...kinds), { maxLength: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('kill' as const), share: fc.nat(1000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('turns' as const), count: fc.nat(4) }) },
)

describe('a client that is killed and continues, at random', () => {
  it('has the events of a client that never stopped, in the order of each token', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), fc.nat(1000), async (steps, seed) => {
        const world = await createResumeWorld({ seed })
        await world.settle()
        const whole = await world.read()
        const got = await runKilled(world, steps)
        const full = whole.frames().filter(isRow)
        expect(sorted(got)).to.deep.equal(sorted(full))
        for (const partition of [0, 1, 2, 3]) {
          const ofToken = (frames: readonly Frame[]) => frames.filter((each) => world.partitionOf(each) === partition)
          expect(linesOf(ofToken(got)), `the token of partition ${partition}`).to.deep.equal(linesOf(ofToken(full)))
        }
        await world.close()
      }),
      { numRuns: 20 },
    )
  })

  it('gets the events after any id of another client: those of the whole that are after it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), fc.nat(1000), async (steps, seed) => {
        const world = await createResumeWorld({ seed })
        await world.settle()
        const whole = await world.read()
        for (const each of steps) if (each.do === 'tick') await world.tick(each.partition, each.of)
        await world.settle()
        const frames = whole.frames()
        for (const { id } of [frames[seed % frames.length], frames[0]] as Frame[]) {
          const again = await world.read({ from: id })
          await world.settle(again.hasCaughtUp)
          const cursor = offsetsOf(id)
          const isAfter = (frame: Frame) => {
            const place = world.partitionOf(frame)
            return (offsetsOf(frame.id)[place] ?? 0) > (cursor[place] ?? 0)
          }
          const after = frames.filter((frame) => isRow(frame) && isAfter(frame))
          const { rows, caughtUp } = againOf(again)
          expect(sorted(rows)).to.deep.equal(sorted(after))
          expect(caughtUp.data).to.deep.include({ from: id, count: after.length, hash: hashOf(rows) })
        }
        await world.close()
      }),
      { numRuns: 12 },
    )
  })
})

/** Runs the steps with a client that is killed and continues. Returns the rows that the client processed. */
async function runKilled(world: World, steps: readonly Step[]): Promise<readonly Frame[]> {
  let reader = await world.read()
  const got: Frame[] = []
  for (const each of steps) {
    if (each.do === 'tick') await world.tick(each.partition, each.of)
    if (each.do === 'turns') await world.settle(() => true)
    if (each.do !== 'kill') continue
    reader.close()
    const frames = reader.frames()
    // The first frame is hello, which every client has processed.
    const processed = frames.slice(0, 1 + Math.floor((each.share / 1000) * (frames.length - 1)))
    got.push(...processed.filter(isRow))
    reader = await world.read({ from: processed.at(-1)?.id })
  }
  const isResumed = steps.some((each) => each.do === 'kill')
  await world.settle(() => !isResumed || reader.hasCaughtUp())
  await world.settle()
  return [...got, ...reader.frames().filter(isRow)]
}
