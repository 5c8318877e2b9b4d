import { expect } from 'chai'
import { createAnswers } from '../../../api/edge/answers.ts'
import { refuse } from '../../../api/edge/refusals.ts'
import type { Route } from '../../../api/route.ts'
import { createFixedViews, fixedCut } from '../../support/fixed-views.ts'

/** A route that answers for each address, and counts how often. */
function countingRoute(body: (addr: string) => object) {
  const asked: string[] = []
  const route: Route = {
    pattern: '/v1/rh/token/:addr/rugcheck',
    description: '',
    params: {},
    answer: async (values) => {
      const { addr } = values as { addr: string }
      asked.push(addr)
      return body(addr)
    },
  }
  return { route, asked }
}

const createFor = (cacheBytesMax: number) =>
  createAnswers({ views: createFixedViews().views, nowMs: () => 0, refreshMs: 1000, cacheBytesMax })

describe('kept answers', () => {
  it('are made once for whoever asks the same at one cut, also at the same time', async () => {
    const { route, asked } = countingRoute((addr) => ({ addr }))
    const answers = createFor(100_000)
    const ask = () => answers.answer(route, { addr: 'a' }, fixedCut)
    await Promise.all([ask(), ask()])
    await ask()
    expect(asked).to.deep.equal(['a'])
  })

  it('stay within their bound when they are refusals, which cost the asker nothing', async () => {
    const { route, asked } = countingRoute(() => refuse('not_tracked', 'unknown'))
    const answers = createFor(20_000)
    const ask = (count: number) => answers.answer(route, { addr: `a${count}` }, fixedCut)
    for (let count = 0; count < 40; count++) await ask(count)
    await ask(39)
    expect(asked).to.have.length(40)
    await ask(0)
    expect(asked).to.have.length(41)
  })
})
