import { expect } from 'chai'
import { createConduct } from '../../../../api/payments/limits/conduct.ts'

const minuteMs = 60_000
const times = (count: number, act: () => void) => {
  for (let left = count; left > 0; left--) act()
}

describe('the conduct of addresses and payers', () => {
  const clock = { nowMs: 0 }
  let conduct: ReturnType<typeof createConduct>
  beforeEach(() => {
    clock.nowMs = 1_000_000
    conduct = createConduct(() => clock.nowMs)
  })

  it('knows an address from a valid payment on, for ten minutes at least and twenty at most', () => {
    expect(conduct.isUnproven('a')).to.equal(true)
    conduct.noteValid('a')
    clock.nowMs += 10 * minuteMs
    expect([conduct.isUnproven('a'), conduct.isUnproven('b')]).to.deep.equal([false, true])
    clock.nowMs += 10 * minuteMs
    expect(conduct.isUnproven('a')).to.equal(true)
  })

  it('counts the refusals of an address, and those of strangers together', () => {
    conduct.noteValid('known')
    for (const address of ['known', 'a', 'a', 'b']) conduct.noteRefused(address)
    expect(['known', 'a', 'b', 'c'].map(conduct.refusedOf)).to.deep.equal([1, 2, 1, 0])
    expect(conduct.refusedOfUnproven()).to.equal(3)
    expect(conduct.isUnproven('known'), 'it is one after its refusal').to.equal(true)
    conduct.noteRefused('known')
    expect(conduct.refusedOfUnproven()).to.equal(4)
    clock.nowMs += minuteMs
    expect([conduct.refusedOf('a'), conduct.refusedOfUnproven()]).to.deep.equal([0, 0])
  })

  it('bars a payer with ten unsold answers within a minute, and its address', () => {
    const unsold = () => conduct.noteUnsold({ address: 'a', payer: 'p' })
    times(9, unsold)
    expect([conduct.isUnsold('a'), conduct.isUnsold('p'), conduct.isBarred('p')]).to.deep.equal([false, false, false])
    unsold()
    expect([conduct.isUnsold('a'), conduct.isUnsold('p'), conduct.isBarred('p')]).to.deep.equal([true, true, true])
    expect(conduct.forgottenInMs()).to.equal(minuteMs)
    clock.nowMs += minuteMs
    expect(conduct.isBarred('p')).to.equal(false)
  })

  it('bars a payer with sixty payments for nothing within a minute', () => {
    times(59, () => conduct.noteNothing('p'))
    expect(conduct.isBarred('p')).to.equal(false)
    conduct.noteNothing('p')
    expect([conduct.isBarred('p'), conduct.isUnsold('p'), conduct.isBarred('q')]).to.deep.equal([true, false, false])
    clock.nowMs += minuteMs
    expect(conduct.isBarred('p')).to.equal(false)
  })
})
