import { expect } from 'chai'
import { createPace } from '../../../ingest/prices/pace.ts'

const never = new AbortController().signal

describe('the pace of requests', () => {
  const open = () => {
    const clock = { nowMs: 1_000_000, waits: [] as number[] }
    const delay = async (ms: number) => {
      clock.waits.push(ms)
      clock.nowMs += ms
    }
    return { clock, pace: createPace({ perMinMax: 60, nowMs: () => clock.nowMs, delay }) }
  }
  const isResting = (pace: ReturnType<typeof open>['pace']) =>
    pace.turn(never).then(
      () => false,
      () => true,
    )

  //  limit 60 a minute   0 s  |    1 s  |    2 s  |             10 s
  //  asked               a b c                                    d
  //  sent                a         b         c                    d
  it('spreads them evenly, and lets one go at once after a pause', async () => {
    const { clock, pace } = open()
    for (let count = 0; count < 3; count++) await pace.turn(never)
    expect(clock.waits).to.deep.equal([1000, 1000])
    clock.nowMs += 8_000
    await pace.turn(never)
    expect(clock.waits).to.have.length(2)
  })

  it('ends a wait with the signal', async () => {
    const { pace } = open()
    const stop = new AbortController()
    await pace.turn(stop.signal)
    stop.abort()
    expect(await pace.turn(stop.signal).catch((error: Error) => error.name)).to.equal('AbortError')
  })

  const rests: readonly (readonly [string, unknown, number])[] = [
    ['seconds', '7', 7_000],
    ['a date', new Date(1_000_000 + 12_000).toUTCString(), 12_000],
    ['a date in the past', new Date(0).toUTCString(), 10_000],
    ['no header', null, 10_000],
    ['an empty header', '', 10_000],
    ['zero', '0', 10_000],
    ['nonsense', 'soon', 10_000],
    ['an hour', '3600', 300_000],
  ]
  for (const [what, retryAfter, restMs] of rests)
    it(`rests for ${restMs / 1000} s where the provider says ${what}`, async () => {
      const { clock, pace } = open()
      pace.rest(retryAfter)
      clock.nowMs += restMs - 1
      expect(await isResting(pace)).to.equal(true)
      clock.nowMs += 1
      expect(await isResting(pace)).to.equal(false)
    })
})
