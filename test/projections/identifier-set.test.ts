import { expect } from 'chai'
import { createIdentifierSet } from '../../projections/identifier-set.ts'
import { createRandom } from '../support/chain-a-node/random.ts'
import { address } from './derived-log.ts'

describe('a set of identifiers', () => {
  it('knows what was added, until the latest instant given, and nothing else', () => {
    const set = createIdentifierSet()
    const random = createRandom(5)
    const expected = new Map<string, number>()
    for (let turn = 0; turn < 20_000; turn++) {
      const identifier = address(Math.floor(random() * 8_000))
      const untilMs = Math.floor(random() * 1_000)
      set.add(identifier, untilMs)
      expected.set(identifier, Math.max(untilMs, expected.get(identifier) ?? 0))
    }
    for (const [identifier, untilMs] of expected) expect(set.untilMs(identifier)).to.equal(untilMs)
    for (let number = 8_000; number < 20_000; number++)
      expect(set.untilMs(address(number))).to.equal(Number.NEGATIVE_INFINITY)
  })

  it('tells apart identifiers that differ in the case of a letter', () => {
    const set = createIdentifierSet()
    set.add('MoonCatPumpk7wBXg3vYqR5tZ2nHs8eDfJbpump', Number.POSITIVE_INFINITY)
    expect(set.untilMs('MoonCatPumpk7wBXg3vYqR5tZ2nHs8eDfJbpump')).to.equal(Number.POSITIVE_INFINITY)
    expect(set.untilMs('moonCatPumpk7wBXg3vYqR5tZ2nHs8eDfJbpump')).to.equal(Number.NEGATIVE_INFINITY)
  })

  it('takes at most 64 bytes an identifier', () => {
    const set = createIdentifierSet()
    for (let number = 0; number < 100_000; number++) set.add(address(number), number)
    expect(set.bytes() / 100_000).to.be.at.most(64)
  })
})
