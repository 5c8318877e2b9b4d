import { expect } from 'chai'
import { createRecentCounts } from '../../api/recent-counts.ts'

describe('counts of the last while', () => {
  const clockAt = () => {
    const clock = { atMs: 1_000 }
    return { clock, nowMs: () => clock.atMs }
  }

  it('are remembered for one to two generations', () => {
    const { clock, nowMs } = clockAt()
    const counts = createRecentCounts({ generationMs: 100, nowMs })
    counts.add('a')
    clock.atMs += 99
    counts.add('a')
    expect(counts.count('a')).to.equal(2)
    expect(counts.forgottenInMs()).to.equal(101)
    clock.atMs += 1
    expect(counts.count('a')).to.equal(2)
    clock.atMs += 99
    expect(counts.count('a')).to.equal(2)
    clock.atMs += 1
    expect([counts.count('a'), counts.count('b')]).to.deep.equal([0, 0])
  })

  it('are gone after a long pause, and when the clock is set back', () => {
    for (const step of [201, -1]) {
      const { clock, nowMs } = clockAt()
      const counts = createRecentCounts({ generationMs: 100, nowMs })
      counts.add('a')
      clock.atMs += step
      expect(counts.count('a')).to.equal(0)
    }
  })

  it('hold no more keys than twice their bound', () => {
    const { nowMs } = clockAt()
    const counts = createRecentCounts({ generationMs: 100, nowMs, keysMax: 10 })
    const keys = Array.from({ length: 100 }, (_, index) => String(index))
    for (const key of keys) counts.add(key)
    const held = keys.filter((key) => counts.count(key) > 0)
    expect(held.length).to.be.within(10, 20)
    expect(held.at(-1)).to.equal('99')
  })

  it('can be cleared', () => {
    const { clock, nowMs } = clockAt()
    const counts = createRecentCounts({ generationMs: 100, nowMs })
    counts.add('a')
    clock.atMs += 100
    counts.add('a')
    counts.clear('a')
    expect(counts.count('a')).to.equal(0)
  })

  it('can be taken back one by one, the newest first', () => {
    const { clock, nowMs } = clockAt()
    const counts = createRecentCounts({ generationMs: 100, nowMs })
    counts.add('a')
    clock.atMs += 100
    counts.add('a')
    counts.takeBack('a')
    expect(counts.count('a')).to.equal(1)
    clock.atMs += 100
    expect(counts.count('a'), 'the older is forgotten as before').to.equal(0)
    counts.add('a')
    counts.add('a')
    clock.atMs += 100
    counts.takeBack('a')
    expect(counts.count('a')).to.equal(1)
    for (let turn = 0; turn < 3; turn++) counts.takeBack('a')
    expect(counts.count('a')).to.equal(0)
  })
})
