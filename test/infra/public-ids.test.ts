import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { callerIdOf, chatIdOf, ruleIdOf, ruleScopeOf } from '../../infra/public-ids.ts'

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
      for (let rule = 0; rule < 2200; rule++)
        expect(ruleIdOf(`rule ${rule}`, 'secret')).to.equal(hashed(`rule ${rule}`, 'secret'))
  })

  it('is its name for the rule that all others are compared with', () => {
    expect(ruleIdOf('hold', 'secret', 'chain-b:')).to.equal('hold')
  })
})

describe('the public id of a caller or a chat', () => {
  const sha1 = (text: string, secret: string): string => createHmac('sha1', secret).update(text).digest('hex')

  it('is a hash with the secret, whichever ids were asked for before', () => {
    for (const secret of ['first', 'second', 'first'])
      for (const [chat, poster] of [
        ['-1', '2'],
        ['-1', '3'],
        ['-1', '2'],
      ] as const) {
        expect(callerIdOf(chat, poster, secret)).to.equal(sha1(`caller:${chat}:${poster}`, secret))
        expect(chatIdOf(chat, secret)).to.equal(sha1(`chat:${chat}`, secret))
      }
  })

  it('is the same for more callers than are kept in memory', () => {
    for (let round = 0; round < 2; round++)
      for (let poster = 0; poster < 41_000; poster += round === 0 ? 1 : 97)
        expect(callerIdOf('-1', String(poster), 'secret')).to.equal(sha1(`caller:-1:${poster}`, 'secret'))
  })
})
