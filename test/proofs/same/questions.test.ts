import { expect } from 'chai'
import { parseParams } from '../../../api/sale/params.ts'
import { paidPatterns, patternsOf, routeAt } from '../../support/payments/paid-routes.ts'
import { drawPaths, walletsIn } from './questions.ts'

describe('the questions of a comparison', () => {
  const token = `0x${'a1'.repeat(20)}`
  const pools = [`0x${'b2'.repeat(32)}`]
  const nextPath = drawPaths(1, {
    pools,
    tokens: [token],
    curveTokens: [token],
    wallets: ['1'.repeat(32)],
    mints: ['1'.repeat(32)],
  })
  const paths = Array.from({ length: 200 }, nextPath)

  it('ask every paid route but the one that sells no answer at a cut', () => {
    expect(patternsOf(paths)).to.have.members(paidPatterns.filter((pattern) => pattern !== '/v1/stream/pass'))
  })

  it('are none that a route refuses', () => {
    for (const path of paths) {
      const { pattern, params } = routeAt(path)
      const { pathname, searchParams } = new URL(path, 'http://127.0.0.1')
      const names = pattern.split('/')
      const inPath = pathname.split('/').map((part, index) => [names[index]?.replace(':', ''), part] as const)
      const parsed = parseParams(params, { query: Object.fromEntries(searchParams), path: Object.fromEntries(inPath) })
      expect(parsed, path).to.have.property('values')
    }
  })

  it('learn wallets of lists of leaders, and none of an answer that counts them', () => {
    expect(walletsIn('{"wallets":[{"wallet":"one"}]}')).to.deep.equal(['one'])
    expect(walletsIn('{"wallets":3}')).to.equal(null)
    expect(walletsIn('{"wallets":null}')).to.equal(null)
  })
})
