import { expect } from 'chai'
import { createCast } from '../../../../ingest/chats/simulated/cast.ts'
import { type ChatEvent, type ChatSimulation, eventsOf } from '../../../../ingest/chats/simulated/posts.ts'
import type { MarketStep } from '../../../../ingest/simulated/market/steps.ts'
import type { TokenHistory } from '../../../../ingest/simulated/token-history.ts'

const hour = 490_000
const startSec = hour * 3600
const cast = createCast({ seed: 5, callers: 40 })

const step = (second: number, px: number): MarketStep => ({
  ...{ second, market: '0xa', of: '0xa', source: 'pool', px, depth: 2, left: 1 },
})
/** A token whose price never changes, so every call of it loses. */
const history = (of: Partial<TokenHistory>): TokenHistory => ({
  ...{ token: 'token', fromSec: startSec - 7200, untilSec: startSec + 7200, bursts: [], callTimes: [] },
  prices: () => [step(startSec - 7200, 1)],
  ...of,
})
const bursts = [{ startSec: startSec + 1000, endSec: startSec + 1040, isPrepared: false }]
const callTime = (atSec: number) => ({ kind: 'aged', atSec: startSec + atSec }) as const

const toldOf = (histories: readonly TokenHistory[], world: Partial<ChatSimulation> = {}): readonly ChatEvent[] =>
  eventsOf(
    { ...{ seed: 5, cast, callsPerHour: 400, crowdEveryHours: null, markets: [() => histories] }, ...world },
    hour,
  )

/**
 * Returns when people first call the token, in seconds of the hour. Posts that repeat or forward an earlier
 * call do not count.
 */
const callsOf = (events: readonly ChatEvent[]): readonly number[] =>
  events.flatMap((event) => {
    if (event.kind !== 'post' || event.bot !== null || event.origin !== null) return []
    const { text, entities, buttons } = event.text
    const isNamed = [text, ...entities.map(({ url }) => url), ...buttons.map(({ url }) => url)].join().includes('token')
    return isNamed && !/another entry|since our call/.test(text) ? [event.second - startSec] : []
  })

const isWithin = (seconds: readonly number[], least: number, most: number): boolean =>
  seconds.every((second) => second >= least && second <= most)

describe('the simulated posts of an hour', () => {
  it('call a token at its bursts: before the burst to win, and behind it to lose', () => {
    const calls = callsOf(toldOf([history({ bursts })]))
    const [before, behind] = [calls.filter((second) => second < 1000), calls.filter((second) => second >= 1000)]
    expect(Math.min(before.length, behind.length)).to.be.above(20)
    expect(isWithin(before, 720, 980)).to.equal(true)
    expect(isWithin(behind, 1060, 1160)).to.equal(true)
  })

  it('call a token within half a minute after its call times', () => {
    const calls = callsOf(toldOf([history({ callTimes: [callTime(500), callTime(2000)] })]))
    expect(calls.length).to.be.above(50)
    const [first, second] = [calls.filter((at) => at < 1000), calls.filter((at) => at >= 1000)]
    expect(Math.min(first.length, second.length)).to.be.above(20)
    expect([isWithin(first, 500, 530), isWithin(second, 2000, 2030)]).to.deep.equal([true, true])
  })

  it('call no token at bursts and call times of other hours', () => {
    const later = bursts.map((burst) => ({ ...burst, startSec: startSec + 3600, endSec: startSec + 3640 }))
    expect(callsOf(toldOf([history({ bursts: later, callTimes: [callTime(-1), callTime(3600)] })]))).to.deep.equal([])
    expect(callsOf(toldOf([history({ callTimes: [callTime(0)] })])).length).to.be.above(50)
    expect(callsOf(toldOf([history({ callTimes: [callTime(3599)] })])).length).to.be.above(50)
  })

  it('call no token at a burst while it has no price or is not traded', () => {
    expect(callsOf(toldOf([history({ bursts, prices: () => [] })]))).to.deep.equal([])
    const [fromSec, untilSec] = [startSec + 900, startSec + 1100]
    const calls = callsOf(toldOf([history({ bursts, fromSec, untilSec })]))
    expect(calls.length).to.be.above(20)
    expect(isWithin(calls, 901, 1099)).to.equal(true)
  })

  it('have only chatter if there are no tokens', () => {
    expect(toldOf([])).to.have.lengthOf(100)
    expect(toldOf([], { callsPerHour: 401 })).to.have.lengthOf(101)
    expect(toldOf([], { crowdEveryHours: 1 })).to.have.lengthOf(100)
  })

  it('have a crowd in each hour that is a multiple, in the last seconds of the minute of an old token', () => {
    const crowdOf = (crowdEveryHours: number, kind: 'aged' | 'longGraduated' | 'aging') => {
      const quiet = { callsPerHour: 0, crowdEveryHours }
      return callsOf(toldOf([history({ callTimes: [{ kind, atSec: startSec + 130 }] })], quiet))
    }
    for (const kind of ['aged', 'longGraduated'] as const) {
      const calls = crowdOf(7, kind)
      expect(calls).to.have.lengthOf(60)
      expect([isWithin(calls, 168, 179), new Set(calls).size]).to.deep.equal([true, 12])
    }
    expect([crowdOf(3, 'aged'), crowdOf(7, 'aging')]).to.deep.equal([[], []])
  })

  it('delete the lost calls of deleters after an hour, and no others', () => {
    const events = toldOf([history({ bursts, callTimes: [callTime(500)] })])
    const deleted = events.filter(({ kind }) => kind === 'delete')
    expect(deleted.length).to.be.above(10)
    const posts = new Map(events.flatMap((event) => (event.kind === 'post' ? [[event.post, event]] : [])))
    for (const { post, second, chat } of deleted) {
      const call = posts.get(post)
      expect(call?.second).to.equal(second - 3600)
      const caller = cast.callers.find(({ poster, chat: { id } }) => poster === call?.poster && id === chat.id)
      expect(caller?.manner).to.equal('deleter')
    }
    const isWon = history({ callTimes: [callTime(500)], prices: () => [step(startSec, 1), step(startSec + 600, 2)] })
    expect(toldOf([isWon]).filter(({ kind }) => kind === 'delete')).to.deep.equal([])
  })
})
