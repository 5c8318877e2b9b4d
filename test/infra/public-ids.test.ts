import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { ruleIdOf, ruleScopeOf } from '../../infra/public-ids.ts'

const hashed = (text: string, secret: string): string =>
  `r${createHmac('sha256', secret).update(text).digest('hex').slice(0, 12)}`

describe('the public id of an exit rule', () => {
  it('is a hash of scope and rule with the secret, whichever ids were asked for before', () => {
    for (const secret of ['first', 'second', 'first'])
      for (const scope of [ruleScopeOf('chain-a'), ruleScopeOf('chain-b')])
        for (const rule of ['tp50', 'sl20', 'tp50'])
          expect(ruleIdOf(rule, secret, scope)).to.equal(hashed(scope + rule, secret))
  })

  it('is the same for more rules than are kept in memory', () => {
    for (let round = 0; round < 2; round++)
      for (let rule = 0; rule < 1100; rule++)
        expect(ruleIdOf(`rule ${rule}`, 'secret')).to.equal(hashed(`rule ${rule}`, 'secret'))
  })

  it('is its name for the rule that all others are compared with', () => {
    expect(ruleIdOf('hold', 'secret', 'chain-b:')).to.equal('hold')
  })
})
