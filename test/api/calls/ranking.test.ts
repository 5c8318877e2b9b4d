import { expect } from 'chai'
import { type CallerSort, rankCallers } from '../../../api/calls/ranking.ts'
import { callerIdOf } from '../../../infra/public-ids.ts'
import type { CallerValues } from '../../../projections/calls/queries/calls-queries.ts'
import { callerIdSecret, fixedCaller } from '../../support/calls/fixed-queries.ts'

describe('the order of callers', () => {
  const caller = (poster: string, n: number, shrunk: Partial<CallerValues> = {}) => ({
    ...{ ...fixedCaller, poster, n, shrunk: { ...fixedCaller.shrunk, ...shrunk } },
  })
  const order = (callers: Parameters<typeof rankCallers>[0], sort: CallerSort) =>
    rankCallers(callers, { sort, callerIdSecret }).map(({ rank, poster }) => `${rank} ${poster}`)

  it('is by the shrunk value, the highest first; rugs the lowest first', () => {
    const callers = [
      caller('a', 5, { win35: 0.2, x2: 0.3, hit15: 0.1, rug: 0.5, ret15: -0.5 }),
      caller('b', 9, { win35: 0.3, x2: 0.1, hit15: 0.2, rug: 0.1, ret15: 0 }),
      caller('c', 7, { win35: 0.1, x2: 0.2, hit15: 0.3, rug: 0.3, ret15: 0.5 }),
    ]
    expect(order(callers, 'win35')).to.deep.equal(['1 b', '2 a', '3 c'])
    expect(order(callers, 'x2')).to.deep.equal(['1 a', '2 c', '3 b'])
    expect(order(callers, 'hit15')).to.deep.equal(['1 c', '2 b', '3 a'])
    expect(order(callers, 'rug')).to.deep.equal(['1 b', '2 c', '3 a'])
    expect(order(callers, 'n')).to.deep.equal(['1 b', '2 c', '3 a'])
    expect(order(callers, 'ret15')).to.deep.equal(['1 c', '2 b', '3 a'])
  })

  it('has those without a value last, whichever way it goes', () => {
    const callers = [
      caller('none', 50, { rug: null, ret15: null }),
      caller('bad', 1, { rug: 1, ret15: -1 }),
      caller('none too', 60, { rug: null, ret15: null }),
    ]
    for (const sort of ['rug', 'ret15'] as const)
      expect(order(callers, sort)).to.deep.equal(['1 bad', '2 none too', '3 none'])
  })

  it('breaks ties by more calls, then by id', () => {
    const posters = ['a', 'b', 'c', 'd', 'e']
    const byId = [...posters].sort((left, right) =>
      callerIdOf('-1001', left, callerIdSecret) < callerIdOf('-1001', right, callerIdSecret) ? -1 : 1,
    )
    const callers = [caller('few', 2), ...posters.map((poster) => caller(poster, 3))]
    expect(order(callers, 'win35')).to.deep.equal([...byId, 'few'].map((poster, index) => `${index + 1} ${poster}`))
  })
})
