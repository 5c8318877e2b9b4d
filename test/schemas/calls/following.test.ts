import { expect } from 'chai'
import fc from 'fast-check'
import {
  type Followings,
  followedUntilMs,
  followingsAfter,
  forgottenAtMs,
  isFollowedAt,
  withCall,
} from '../../../schemas/calls/following.ts'
import { poolLifeMs } from '../../../schemas/chain-a/pool-life.ts'

const minMs = 60_000
const hourMs = 60 * minMs
const watchedMs = 48 * hourMs + 15 * minMs
const ownAtMs = 0 + poolLifeMs

type Call = Readonly<{ postedAtMs: number; answeredAtMs: number; isFollowed: boolean }>
const callAt = (atMs: number, lateMs = 0): Call => ({ postedAtMs: atMs, answeredAtMs: atMs + lateMs, isFollowed: true })
const followed = (calls: readonly Call[]): Followings => calls.reduce<Followings>(withCall, [])

describe('how long the markets of a called token are followed', () => {
  it('is until 48 h 15 min after the post, however late it became known', () => {
    expect(followedUntilMs(hourMs)).to.equal(hourMs + watchedMs)
    expect(forgottenAtMs(ownAtMs, followed([callAt(hourMs, 3 * hourMs)]))).to.equal(hourMs + watchedMs)
  })

  it('is the own life where nobody called, or where that is longer', () => {
    expect(forgottenAtMs(ownAtMs, [])).to.equal(poolLifeMs)
    expect(forgottenAtMs(100 * hourMs, followed([callAt(hourMs)]))).to.equal(100 * hourMs)
  })

  it('needs a call that became known half an hour before the market would be forgotten', () => {
    const inTimeMs = poolLifeMs - 30 * minMs
    const ends = [inTimeMs, inTimeMs + 1].map((atMs) => forgottenAtMs(ownAtMs, followed([callAt(atMs)])))
    expect(ends).to.deep.equal([inTimeMs + watchedMs, poolLifeMs])
  })

  it('is not lengthened by a call that keeps none', () => {
    expect(followed([{ ...callAt(hourMs), isFollowed: false }])).to.deep.equal([])
  })

  it('ends with its last instant', () => {
    const followings = followed([callAt(hourMs)])
    const ends = [hourMs + watchedMs - 1, hourMs + watchedMs].map((atMs) => isFollowedAt(followings, atMs))
    expect(ends).to.deep.equal([true, false])
  })

  it('is judged by when a call became known, not by when it was posted', () => {
    const postedAtMs = poolLifeMs - hourMs
    expect(forgottenAtMs(ownAtMs, followed([callAt(postedAtMs, 31 * minMs)]))).to.equal(poolLifeMs)
  })

  it('grows with a call that becomes known while the market is followed', () => {
    const again = callAt(hourMs + watchedMs - 30 * minMs)
    expect(forgottenAtMs(ownAtMs, followed([callAt(hourMs), again]))).to.equal(again.postedAtMs + watchedMs)
  })

  it('does not begin again: a later call keeps younger markets alone', () => {
    const late = callAt(hourMs + watchedMs)
    const followings = followed([callAt(hourMs), late])
    expect(followings).to.have.length(2)
    expect(forgottenAtMs(ownAtMs, followings)).to.equal(hourMs + watchedMs)
    const young = late.answeredAtMs + 2 * hourMs
    expect(forgottenAtMs(young, followings)).to.equal(late.postedAtMs + watchedMs)
  })

  it('is kept in as many spans as there are breaks', () => {
    const calls = Array.from({ length: 500 }, (_, index) => callAt(index * hourMs))
    expect(followed(calls)).to.deep.equal([{ sinceMs: 0, untilMs: 499 * hourMs + watchedMs }])
  })

  it('forgets spans that are over', () => {
    const followings = followed([callAt(0), callAt(100 * hourMs)])
    expect(followingsAfter(followings, watchedMs)).to.deep.equal(followings)
    expect(followingsAfter(followings, watchedMs + 1)).to.deep.equal(followings.slice(1))
    expect(followingsAfter(followings, 200 * hourMs)).to.deep.equal([])
  })

  it('is what the calls say one by one, in whatever order they come', () => {
    const hours = fc.integer({ min: 0, max: 400 }).map((half) => half * 30 * minMs)
    const calls = fc.array(fc.record({ answeredAtMs: hours, lateMs: hours }), { maxLength: 12 })
    fc.assert(
      fc.property(calls, hours, (drawn, ownMs) => {
        const all = drawn.map(({ answeredAtMs, lateMs }) => ({
          ...{ answeredAtMs, postedAtMs: answeredAtMs - lateMs, isFollowed: true },
        }))
        const inOrder = [...all].sort((one, other) => one.answeredAtMs - other.answeredAtMs)
        const slow = inOrder.reduce(
          (endMs, { answeredAtMs, postedAtMs }) =>
            answeredAtMs + 30 * minMs <= endMs ? Math.max(endMs, postedAtMs + watchedMs) : endMs,
          ownMs,
        )
        expect(forgottenAtMs(ownMs, followed(all))).to.equal(slow)
        expect(followed([...all, ...all])).to.deep.equal(followed(all))
      }),
    )
  })
})
