import { expect } from 'chai'
import { type AnsweredRoute, type History, routeIdOf } from '../../../api/route.ts'
import { askableRange, judgeAsOf, reachMsOf } from '../../../api/sale/as-of.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import type { Stage } from '../../../schemas/stage.ts'
import { paidRoutes, routeAt } from '../../support/payments/paid-routes.ts'
import { paid } from '../spec/routes.ts'

const dayMs = 86_400_000
const newestAtMs = 1_790_000_000_000
/** This time is earlier than the oldest record that any topic keeps. */
const oldestAtMs = newestAtMs - 400 * dayMs
const foreverStage: Stage = { ...chainAStage, derivedTopic: { ...chainAStage.derivedTopic, retentionMs: null } }

const routeWith = (history: History, stage: Stage = chainAStage): AnsweredRoute => ({
  ...(routeAt('/v1/rh/crews') as AnsweredRoute),
  history,
  dependsOn: [{ stage, newest: 'the newest block', maxAgeMs: 1000 }],
})
const askedOf = (history: History, stage?: Stage) => ({ route: routeWith(history, stage), values: {} })
const daysBack = (history: History, stage?: Stage): number =>
  (newestAtMs - askableRange(askedOf(history, stage), { oldestAtMs, newestAtMs }).fromMs) / dayMs

describe('how far back a route can be asked', () => {
  it('is its window, where all that it looks back for is kept', () => {
    expect(daysBack({ windowMs: 2 * dayMs, lookBackMs: 31 * dayMs })).to.equal(2)
  })

  it('is what is kept, 35 days, less how far it looks back and a day, where that is less', () => {
    expect(daysBack({ windowMs: 14 * dayMs, lookBackMs: 30 * dayMs })).to.equal(4)
    expect(daysBack({ windowMs: null, lookBackMs: 5 * dayMs })).to.equal(29)
  })

  it('depends on the parameters where these say how far it looks back', () => {
    const history: History = { windowMs: null, lookBackMs: ({ since }, atMs) => atMs - Number(since) }
    const asked = { route: routeWith(history), values: { since: `${newestAtMs - 3 * dayMs}` } }
    expect(reachMsOf(asked, newestAtMs)).to.equal(31 * dayMs)
  })

  it('goes back to the first instant of what has lost nothing yet, however far it looks back', () => {
    const asked = askedOf({ windowMs: null, lookBackMs: 100 * dayMs })
    const young = { oldestAtMs: newestAtMs - 32 * dayMs, newestAtMs }
    expect(askableRange(asked, young)).to.deep.equal({ fromMs: young.oldestAtMs, toMs: newestAtMs })
    expect(judgeAsOf({ ...asked, asOfMs: newestAtMs }, { ...young, oldestAtMs: newestAtMs - 33 * dayMs })).to.equal(
      null,
    )
    const withWindow = askedOf({ windowMs: dayMs, lookBackMs: 100 * dayMs })
    expect(askableRange(withWindow, young).fromMs).to.equal(newestAtMs - dayMs)
  })

  it('is its window, or all there is, of what is kept for ever', () => {
    expect(daysBack({ windowMs: null, lookBackMs: 30 * dayMs }, foreverStage)).to.equal(400)
    expect(daysBack({ windowMs: 7 * dayMs, lookBackMs: 30 * dayMs }, foreverStage)).to.equal(7)
  })

  it('has both of its ends in it, and says them to who asks for another instant', () => {
    const asked = askedOf({ windowMs: dayMs, lookBackMs: 0 })
    const codeAt = (asOfMs: number) => judgeAsOf({ ...asked, asOfMs }, { oldestAtMs, newestAtMs })?.code
    expect([newestAtMs - dayMs, newestAtMs].map(codeAt)).to.deep.equal([undefined, undefined])
    expect([newestAtMs - dayMs - 1, newestAtMs + 1].map(codeAt)).to.deep.equal(['bad_param', 'bad_param'])
    expect(judgeAsOf({ ...asked, asOfMs: 0 }, { oldestAtMs, newestAtMs })?.error).to.contain(
      `from ${newestAtMs - dayMs} to ${newestAtMs}`,
    )
  })

  for (const route of paidRoutes.filter((one) => !one.isPersonal)) {
    const hours = paid[routeIdOf(route).slice(4)]?.asOfHours
    it(`${route.pattern}: is as the specification bounds its history, ${hours} h`, () => {
      const defaults = { since: -dayMs, window: '7d' }
      expect(Math.floor(reachMsOf({ route, values: defaults as never }, newestAtMs) / 3_600_000)).to.equal(hours)
    })
  }
})
