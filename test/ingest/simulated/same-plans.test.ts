/**
 * Tests that the plans of many simulated markets stay the same in every version. It covers several seeds, and
 * plans that are rare in `same-market.test.ts`. That file says what to do after a wanted change.
 */
import { expect } from 'chai'
import { curvePlanOf, curvePlansOf } from '../../../ingest/chain-a/simulated/curve-plan.ts'
import { createWallets as createChainAWallets } from '../../../ingest/chain-a/simulated/identities.ts'
import * as planA from '../../../ingest/chain-a/simulated/plan.ts'
import { intentsOf as intentsOfLaunch } from '../../../ingest/chain-a/simulated/schedule.ts'
import { stepsOf as chainAStepsOf } from '../../../ingest/chain-a/simulated/steps.ts'
import { storiesOf } from '../../../ingest/chain-a/simulated/stories.ts'
import { createTokenHistories as createHistoriesA } from '../../../ingest/chain-a/simulated/token-histories.ts'
import { createWallets as createChainBWallets } from '../../../ingest/chain-b/simulated/identities.ts'
import { lifeOf } from '../../../ingest/chain-b/simulated/life.ts'
import * as planB from '../../../ingest/chain-b/simulated/plan.ts'
import { intentsOf } from '../../../ingest/chain-b/simulated/schedule.ts'
import { stepsOf as chainBStepsOf } from '../../../ingest/chain-b/simulated/steps.ts'
import { createTokenHistories as createHistoriesB } from '../../../ingest/chain-b/simulated/token-histories.ts'
import { createCast } from '../../../ingest/chats/simulated/cast.ts'
import { createRandom } from '../../../ingest/simulated/random.ts'
import type { HistoriesOfHour } from '../../../ingest/simulated/token-history.ts'
import { hashOf } from './hash-of.ts'

const seeds = [1, 2, 3, 4, 5, 6]
const cohort = 480_001
/** Node 24 and newer round `Math.pow` in another way than Node 20 and 22, which changes the last digit of some prices. */
const roundsAsNode24 = 1.0001 ** (-99_997 / 2) === 0.006740642554109382

/**
 * Returns the token histories of three hours without their prices, because prices need a simulation of
 * trades.
 */
const toldBy = (historiesOf: HistoriesOfHour): readonly unknown[] =>
  [0, 1, 30].flatMap((hours) => historiesOf(cohort + hours)).map(({ prices, ...told }) => told)

describe('the plans of many simulated markets are those of earlier versions', () => {
  it('on chain A', () => {
    const markets = seeds.map((seed) => planA.marketOf({ seed, launchesPerDay: 100 * seed }))
    const plans = markets.flatMap((market) => planA.plansOf(market, cohort).map((plan) => ({ market, plan })))
    const curves = markets.flatMap((market) => curvePlansOf(market, cohort))
    const quiet = plans.filter(({ plan }) => (plan.crowd?.trades ?? 0) < 100)
    const ids = [0, 1, 30, 2047, 2048, 2049, 2060, 4095].map((index) => cohort * 4096 + index)
    const found = markets.flatMap((market) => ids.map((id) => [planA.planOf(market, id), curvePlanOf(market, id)]))
    const stories = storiesOf(planA.marketOf({ seed: 3 }), cohort, { seed: 3, walletAt: createChainAWallets(3) })
    expect({
      plans: hashOf(plans.map(({ plan }) => plan)),
      seconds: hashOf(plans.map(({ market, plan }) => planA.secondPlanOf(market, plan))),
      ends: hashOf(plans.map(({ market, plan }) => planA.lastSecondOfToken(market, plan))),
      curves: hashOf(curves),
      found: hashOf(found),
      intents: hashOf(quiet.map(({ plan }) => [...intentsOfLaunch(plan, createRandom(plan.id))])),
      histories: hashOf(seeds.slice(0, 2).flatMap((seed) => toldBy(createHistoriesA({ seed })))),
      steps: hashOf(stories.slice(0, 12).map((story) => chainAStepsOf(story.transactions()))),
    }).to.deep.equal({
      plans: '9ba405a0b0586cf9',
      seconds: '5543f2b307b990ce',
      ends: 'b4d9d7962ed793e3',
      curves: '284209eacd45b933',
      found: 'd1419f9cf890fa79',
      intents: 'c38cd87b764ed37b',
      histories: '79313218d0a2ab42',
      steps: roundsAsNode24 ? '550d2a0cc63b8984' : '771c9036da5aae10',
    })
  })

  it('on chain B', () => {
    const markets = seeds.map((seed) => planB.marketOf({ seed, launchesPerDay: 500 * seed }))
    const plans = markets.flatMap((market) => planB.plansOf(market, cohort))
    const seldom = plans.filter(
      ({ kind, isUsdc, isMayhem }) => kind === 'rushed' || kind === 'late' || isUsdc || isMayhem,
    )
    const world = { seed: 8, walletAt: createChainBWallets(8) }
    const ids = [-1, 0, 19, 20, 21, 80, 4095, 4096].map((index) => cohort * 4096 + index)
    const promoted = planB.promotedPlansOf(planB.marketOf({ seed: 8 }), cohort)
    const played = [...seldom, ...promoted]
    expect({
      plans: hashOf(plans),
      others: hashOf(markets.map((market) => planB.otherIdsOf(market, cohort))),
      found: hashOf(markets.flatMap((market) => ids.map((id) => planB.planOf(market, id)))),
      bounds: hashOf([planB.firstSecondOf(cohort), planB.lastSecondOf(cohort), planB.lastUsualSecondOf(cohort)]),
      intents: hashOf(plans.map((plan) => intentsOf(plan, createRandom(plan.id)))),
      lives: hashOf(played.map((plan) => [...lifeOf(plan, world)])),
      steps: hashOf(played.map((plan) => chainBStepsOf(plan, world))),
      histories: hashOf(seeds.slice(0, 2).flatMap((seed) => toldBy(createHistoriesB({ seed })))),
    }).to.deep.equal({
      plans: '0199f5519238a253',
      others: '24e9ad54284e558c',
      found: '4b54923716614453',
      bounds: '7ec104c6b16711d0',
      intents: '40c651d8dddd0816',
      lives: '97dedf8f717d02c9',
      steps: '6088ffb9f5a3b6b5',
      histories: '08c394a9a6ea00e7',
    })
  })

  it('in the chats', () => {
    const casts = [1, 5, 6, 20, 21, 120].map((callers) => createCast({ seed: callers, callers }))
    expect(hashOf(casts)).to.equal('b98f0e8722195b2c')
  })
})
