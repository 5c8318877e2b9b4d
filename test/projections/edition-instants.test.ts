import { expect } from 'chai'
import { editionsUntil, type KnownBlock, newestInstant } from '../../projections/edition-instants.ts'

const hourMs = 3_600_000
const at = (hours: number, minutes = 0, seconds = 0): number => hours * hourMs + minutes * 60_000 + seconds * 1000
const clock = (atMs: number): string => new Date(atMs).toISOString().slice(11, 19)

describe('the newest instant that an hourly answer can tell of', () => {
  const reach = (firstBlockAtMs: number, newestBlockAtMs: number) => ({ firstBlockAtMs, newestBlockAtMs })

  it('is the last whole hour that every input has passed', () => {
    const others = [reach(at(1), at(17)), reach(at(2), at(16, 59))]
    expect(newestInstant([...others, reach(at(1), at(14))])).to.equal(at(13))
    expect(newestInstant([...others, reach(at(1), at(14) + 1)]), 'a block may carry the time of the last').to.equal(
      at(14),
    )
    expect(newestInstant(others)).to.equal(at(16))
    expect(newestInstant([reach(at(1), at(17) + 1)])).to.equal(at(17))
  })

  it('is a whole minute until there is an hour that all inputs tell of', () => {
    const chain = reach(at(1), at(13, 30))
    expect(newestInstant([chain, reach(at(12, 59), at(13, 30))])).to.equal(at(13))
    expect(newestInstant([chain, reach(at(13), at(13, 30))])).to.equal(at(13))
    expect(newestInstant([chain, reach(at(13) + 1, at(13, 20))])).to.equal(at(13, 19))
    expect(newestInstant([chain, reach(at(13, 19) + 1, at(13, 20))])).to.equal(null)
  })
})

describe('the editions of a product with one input', () => {
  const tick = (knownAtMs: number, blockAtMs: number): KnownBlock => ({ knownAtMs, blockAtMs })
  const madeOf = (waiting: readonly KnownBlock[], toMs = at(99)) =>
    editionsUntil(toMs, { reach: null, waiting }).due.map(({ coveredUntilMs, knownAtMs }) => [
      clock(coveredUntilMs),
      clock(knownAtMs),
    ])
  /** One tick per second. The block of each tick is `behindMs` older than the tick. */
  const live = (fromMs: number, toMs: number, behindMs: number) =>
    Array.from({ length: (toMs - fromMs) / 1000 + 1 }, (_, index) =>
      tick(fromMs + index * 1000, fromMs + index * 1000 - behindMs),
    )

  it('are made a moment after each hour while the input is live', () => {
    const ticks = live(at(11, 30), at(13, 30), 2000)
    expect(madeOf(ticks).filter(([told]) => told?.endsWith('00:00'))).to.deep.equal([
      ['12:00:00', '12:00:03'],
      ['13:00:00', '13:00:03'],
    ])
  })

  // From 11:59:50 to 14:19:59, every tick still reports the block of 11:59:48.
  //   tick known at   11:59:50 … 14:19:59   14:20:00   14:20:01   14:20:02   14:20:03
  //   its block       11:59:48              12:40      13:10      14:10      14:20:02
  it('stand still while it ticks on with the same block, over two whole hours', () => {
    const silent = live(at(11, 59, 51), at(14, 19, 59), 0).map(({ knownAtMs }) => tick(knownAtMs, at(11, 59, 48)))
    const caughtUp = [at(12, 40), at(13, 10), at(14, 10), at(14, 20, 2)].map((blockAtMs, index) =>
      tick(at(14, 20, index), blockAtMs),
    )
    expect(madeOf([tick(at(10), at(10)), tick(at(11, 59, 50), at(11, 59, 48)), ...silent, ...caughtUp])).to.deep.equal([
      ['11:00:00', '11:59:50'],
      ['12:00:00', '14:20:00'],
      ['13:00:00', '14:20:01'],
      ['14:00:00', '14:20:02'],
    ])
  })

  it('of a first start are those of at most three hours ago', () => {
    // One day of blocks becomes known within 48 seconds. Between two ticks are 30 minutes of block time.
    const ticks = Array.from({ length: 49 }, (_, index) => tick(at(41, 20, index), at(17, 10) + index * (hourMs / 2)))
    expect(madeOf(ticks)).to.deep.equal([
      ['15:00:00', '17:20:44'],
      ['16:00:00', '17:20:46'],
      ['17:00:00', '17:20:48'],
    ])
    expect(madeOf([tick(at(1), at(0)), tick(at(6), at(3) + 1)])).to.deep.equal([['03:00:00', '06:00:00']])
    expect(madeOf([tick(at(1), at(0)), tick(at(6) + 1, at(3) + 1)])).to.deep.equal([])
  })

  it('of a first start without a past are those of whole minutes, until an hour is whole', () => {
    const ticks = live(at(12, 57, 30), at(14, 0, 10), 1000)
    expect(madeOf(ticks)).to.deep.equal([
      ['12:58:00', '12:58:02'],
      ['12:59:00', '12:59:02'],
      ['13:00:00', '13:00:02'],
      ['14:00:00', '14:00:02'],
    ])
  })

  it('are of the newest instant where one instant of knowledge passes several, and stay when a reorg takes blocks back', () => {
    const ticks = [
      tick(at(11, 30), at(11, 30)),
      ...[at(12) + 1, at(13) + 1, at(14) + 1].map((blockAtMs) => tick(at(14, 5), blockAtMs)),
      tick(at(14, 6), at(13, 59)),
      tick(at(14, 7), at(14, 7)),
      tick(at(15, 1), at(15, 1)),
    ]
    expect(madeOf(ticks)).to.deep.equal([
      ['14:00:00', '14:05:00'],
      ['15:00:00', '15:01:00'],
    ])
  })

  it('are the same wherever the ticks are divided, and come with the tick that passes the hour', () => {
    const ticks = [...live(at(11, 59), at(12, 0, 30), 2500), ...live(at(12, 59, 50), at(13, 0, 5), 500)]
    const whole = editionsUntil(at(99), { reach: null, waiting: ticks }).due
    expect(whole).to.have.length.above(2)
    for (let split = at(11, 59); split <= at(13, 0, 6); split += 1000) {
      const first = editionsUntil(split, { reach: null, waiting: ticks })
      expect(first.due.every(({ knownAtMs }) => knownAtMs <= split)).to.equal(true)
      const second = editionsUntil(at(99), first.next)
      expect([...first.due, ...second.due], clock(split)).to.deep.equal(whole)
    }
  })
})
