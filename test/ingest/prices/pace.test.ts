import { expect } from 'chai'
import { createPace } from '../../../ingest/prices/pace.ts'
import { createVirtualTime } from '../../support/virtual-time.ts'

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

  it('lets urgent ones go before those that wait, and one of the others after three of them', async () => {
    const time = createVirtualTime(1_000_000)
    const pace = createPace({ perMinMax: 60, nowMs: time.nowMs, delay: time.delay })
    const sent: string[] = []
    const ask = async (name: string) => {
      await pace.turn(never, name.startsWith('urgent'))
      sent.push(name)
    }
    const names = ['slow 1', 'slow 2', 'slow 3', ...[1, 2, 3, 4, 5].map((number) => `urgent ${number}`)]
    await time.run(Promise.all(names.map(ask)))
    expect(sent).to.deep.equal([
      ...['slow 1', 'urgent 1', 'urgent 2', 'urgent 3', 'slow 2', 'urgent 4', 'urgent 5', 'slow 3'],
    ])
    expect(time.nowMs()).to.equal(1_007_000)
  })

  it('refuses those that wait when a rest begins', async () => {
    const { clock, pace } = open()
    await pace.turn(never)
    const waiting = pace.turn(never)
    pace.rest('30')
    expect(await waiting.catch((error: Error) => error.message)).to.equal('the provider asked for a pause')
    clock.nowMs += 30_000
    expect(await isResting(pace)).to.equal(false)
  })

  it('waits and rests no longer after the clock was set back', async () => {
    const { clock, pace } = open()
    await pace.turn(never)
    clock.nowMs -= 600_000
    await pace.turn(never)
    expect(clock.waits).to.deep.equal([1000])
    pace.rest('30')
    clock.nowMs -= 300_000
    expect(await isResting(pace)).to.equal(true)
    clock.nowMs += 30_000
    expect(await isResting(pace)).to.equal(false)
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
