import { expect } from 'chai'
import { historiesByHour } from '../../../../ingest/simulated/market/histories-by-hour.ts'
import { deepestOf, type MarketStep, rememberSteps, stepsAt } from '../../../../ingest/simulated/market/steps.ts'
import type { TokenHistory } from '../../../../ingest/simulated/token-history.ts'

const step = (second: number, rest: Partial<MarketStep> = {}): MarketStep => ({
  ...{ second, market: '0xa', of: '0xa', source: 'pool', px: 1, depth: 2, left: 1 },
  ...rest,
})

describe('the standing of simulated markets', () => {
  it('is the newest step of each followed market, in the second itself, too', () => {
    const steps = [step(1), step(2, { of: '0xb' }), step(3, { px: 3 }), step(4, { of: '0xb', px: 4 })]
    const pricesAt = (second: number) => stepsAt(steps, second).map(({ of, px }) => `${of} ${px}`)
    expect([0, 1, 2, 3, 4].map(pricesAt)).to.deep.equal([
      [],
      ['0xa 1'],
      ['0xa 1', '0xb 1'],
      ['0xa 3', '0xb 1'],
      ['0xa 3', '0xb 4'],
    ])
  })

  it('has as deepest the market with the most liquidity and a price, and of equal ones the lowest address', () => {
    const [low, high, deep] = [step(1), step(1, { market: '0xb' }), step(1, { market: '0xc', depth: 3 })]
    expect(deepestOf([])).to.equal(null)
    expect(deepestOf([low, deep, high])).to.equal(deep)
    expect(deepestOf([low, high])).to.equal(low)
    expect(deepestOf([high, low])).to.equal(low)
    expect(deepestOf([{ ...deep, px: null }, high])).to.equal(high)
    expect(deepestOf([{ ...low, px: null }])).to.equal(null)
  })
})

describe('remembered steps', () => {
  const stepsMax = 5

  function remember() {
    const played: string[] = []
    const stepsOf = rememberSteps((key: string) => {
      played.push(key)
      return key === 'none' ? null : Array.from(key, (_, index) => step(index))
    }, stepsMax)
    return { stepsOf, played }
  }

  it('are played once while they fit, and the ones used longest ago give way', () => {
    const { stepsOf, played } = remember()
    const first = stepsOf('aa')
    for (const key of ['bbb', 'aa', 'bbb', 'aa']) stepsOf(key)
    expect(stepsOf('aa')).to.deep.equal(first)
    expect(played).to.deep.equal(['aa', 'bbb'])
    for (const key of ['c', 'aa', 'c', 'bbb', 'c', 'aa']) stepsOf(key)
    expect(played).to.deep.equal(['aa', 'bbb', 'c', 'bbb', 'aa'])
  })

  it('are the steps that were played, of each market and without a price too', () => {
    const steps = [
      step(1.5, { px: 0.1 + 0.2, depth: 0, left: 0.2 }),
      step(2, { market: '0xb', source: 'curve', px: null }),
      step(2, { market: '0xb' }),
      step(3, { market: '0xb', of: '0xb' }),
      step(4),
    ]
    const stepsOf = rememberSteps(() => steps, 10)
    expect(stepsOf('a')).to.equal(steps)
    expect(stepsOf('a')).to.deep.equal(steps)
  })

  it('are kept if they alone are too many, until the next are played', () => {
    const { stepsOf, played } = remember()
    for (const key of ['aaaaaa', 'aaaaaa', 'b', 'aaaaaa']) stepsOf(key)
    expect(played).to.deep.equal(['aaaaaa', 'b', 'aaaaaa'])
  })

  it('are asked again for a key that has none', () => {
    const { stepsOf, played } = remember()
    expect([stepsOf('none'), stepsOf('none')]).to.deep.equal([null, null])
    expect(played).to.deep.equal(['none', 'none'])
  })
})

describe('the tales of an hour', () => {
  const hourSec = 3600
  const history = (token: string, bursts: readonly number[], callTimes: readonly number[]): TokenHistory => ({
    ...{ token, fromSec: 0, untilSec: 0, prices: () => [] },
    bursts: bursts.map((hour) => ({ startSec: hour * hourSec, endSec: (hour + 1) * hourSec, isPrepared: false })),
    callTimes: callTimes.map((hour) => ({ kind: 'aged', atSec: (hour + 1) * hourSec - 1 })),
  })

  it('are those with a burst that begins or a moment that is in the hour, once each, of all its cohorts', () => {
    const histories = new Map([
      [999, [history('a', [1000, 1000], [1000]), history('b', [], [1000, 1001])]],
      [1001, [history('c', [1000], []), history('d', [999], [1001])]],
    ])
    const talesOf = historiesByHour((cohort) => histories.get(cohort) ?? [])
    const tokensOf = (hour: number) => talesOf(hour).map(({ token }) => token)
    expect([999, 1000, 1001, 1002].map(tokensOf)).to.deep.equal([[], ['a', 'b', 'c'], ['b', 'd'], []])
  })

  it('are sought in the cohorts of the 73 hours before and the hour after, which are planned once while kept', () => {
    const asked: number[] = []
    const talesOf = historiesByHour((cohort) => {
      asked.push(cohort)
      return []
    })
    talesOf(1000)
    expect(asked).to.deep.equal(Array.from({ length: 75 }, (_, index) => 927 + index))
    for (let hour = 1000; hour <= 1071; hour++) talesOf(hour)
    expect(asked).to.have.lengthOf(146)
    talesOf(1000)
    expect(asked).to.have.lengthOf(146)
    talesOf(1072)
    talesOf(1000)
    expect(asked.slice(146, 149)).to.deep.equal([1073, 927, 928])
  })
})
