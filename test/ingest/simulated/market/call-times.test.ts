import { expect } from 'chai'
import { drawCallTimes, type TradedTime } from '../../../../ingest/simulated/market/call-times.ts'
import { type LiquidityChange, unchangedLiquidity } from '../../../../ingest/simulated/market/liquidity-plan.ts'
import { givenRandom } from '../given-random.ts'

const hourSec = 3600
const life: TradedTime = {
  ...{ beginsAtSec: 1_000_000, endsAtSec: 1_000_000 + 70 * hourSec, calledFromSec: null },
  ...{ liquidityPlan: unchangedLiquidity, graduatedAtSec: null },
}
const change = (atSec: number): LiquidityChange => ({ atSec, does: 'remove', share: 0.5 })
const random = (isMost: boolean, chances: readonly boolean[] = []) =>
  givenRandom({ isMost, chances, units: Array.from({ length: 9 }, () => (isMost ? 1 : 0)) })

/**
 * Returns when the token is called in chats, as texts. Each time is in seconds after the token's first trade.
 */
const toldOf = (of: Partial<TradedTime>, isMost = false, chances: readonly boolean[] = []): readonly string[] =>
  drawCallTimes({ ...life, ...of }, random(isMost, chances)).map(({ kind, atSec }) => `${kind} ${atSec - 1_000_000}`)

const [agingFirst, agedFirst] = ['aging 72000', 'aged 88560']
const [agingLast, agedLast] = ['aging 87840', 'aged 158400']

describe('the moments at which a simulated token is called', () => {
  it('are those of its age only, if nothing happened to it', () => {
    expect(toldOf({})).to.deep.equal([agingFirst, agedFirst])
    expect(toldOf({}, true)).to.deep.equal([agingLast, agedLast])
  })

  it('are before and after its pull, its refill and its second market, at both ends of their spans', () => {
    const plan = {
      ...({ kind: 'pulledInParts', changes: [change(1_010_000), change(1_012_000)] } as const),
      ...{ pulledAtSec: 1_012_000, refilledAtSec: 1_020_000, secondAtSec: 1_030_000 },
    }
    expect(toldOf({ liquidityPlan: plan, calledFromSec: 1_000_500 })).to.deep.equal([
      ...['beforePull 9900', 'afterPull 12005', 'afterRefill 20060', 'onSecond 30400', 'longAfter 4160'],
      ...[agingFirst, agedFirst],
    ])
    expect(toldOf({ liquidityPlan: plan, calledFromSec: 1_000_500 }, true)).to.deep.equal([
      ...['beforePull 9100', 'afterPull 12120', 'afterRefill 21800', 'onSecond 37200', 'longAfter 112100'],
      ...[agingLast, agedLast],
    ])
    expect(toldOf({ liquidityPlan: plan, calledFromSec: 1_009_950 })[0]).to.equal('beforePull 9950')
    expect(toldOf({ liquidityPlan: { ...plan, changes: [] }, calledFromSec: 1_000_500 })[0]).to.equal(
      'beforePull 11900',
    )
    expect(toldOf({ liquidityPlan: { ...plan, refilledAtSec: null, secondAtSec: null } })).to.deep.equal([
      ...['afterPull 12005', agingFirst, agedFirst],
    ])
  })

  it('are within an hour of its graduation, and long after', () => {
    const graduatedAtSec = 1_002_000
    expect(toldOf({ graduatedAtSec }).slice(0, 2)).to.deep.equal(['graduated 2360', 'longGraduated 5660'])
    expect(toldOf({ graduatedAtSec }, true).slice(0, 2)).to.deep.equal(['graduated 5600', 'longGraduated 113600'])
  })

  it('are strictly within its trading', () => {
    const isAged = (endsAfterSec: number) => toldOf({ endsAtSec: 1_000_000 + endsAfterSec }).includes(agedFirst)
    expect([isAged(88_560), isAged(88_561)]).to.deep.equal([false, true])
    const isGraduated = (graduatedAtSec: number) => toldOf({ graduatedAtSec })[0]?.startsWith('graduated') ?? false
    expect([isGraduated(999_640), isGraduated(999_641)]).to.deep.equal([false, true])
  })

  it('may be after the trading of a token that was traded for less than twelve hours', () => {
    const endsAtSec = 1_000_000 + 12 * hourSec
    expect(toldOf({ endsAtSec }, false, [true, true])).to.deep.equal(['beforeMarket -32'])
    expect(toldOf({ endsAtSec: endsAtSec - 1 }, false, [true])).to.deep.equal(['dead 46859'])
    expect(toldOf({ endsAtSec: endsAtSec - 1 }, true, [true])).to.deep.equal(['dead 154799'])
    expect(toldOf({ endsAtSec: endsAtSec - 1 }, true, [false])).to.deep.equal([])
  })

  it('may be before the first market', () => {
    expect(toldOf({}, false, [true])).to.deep.equal([agingFirst, agedFirst, 'beforeMarket -32'])
    expect(toldOf({}, true, [true])).to.deep.equal([agingLast, agedLast, 'beforeMarket -90'])
  })
})
