import { expect } from 'chai'
import { fnv1a, nextTwinAtMs } from '../../../processors/desk/twin.ts'
import { deskRules } from '../../../schemas/desk/rules.ts'

const { twinSlotMs } = deskRules

describe('the seconds of twins', () => {
  it('hash as published', () => {
    expect(fnv1a('')).to.equal(0x811c9dc5)
    expect(fnv1a('a')).to.equal(0xe40c292c)
    expect(fnv1a('foobar')).to.equal(0xbf9cf968)
  })

  it('are one in each slot, whole, later than asked for, and spread over the slot', () => {
    const offsets = new Set<number>()
    let atMs = 0
    for (let slot = 0; slot < 500; slot++) {
      const next = nextTwinAtMs('0xa1', atMs, twinSlotMs)
      expect(next).to.be.greaterThan(atMs)
      expect(next % 1000).to.equal(0)
      expect(Math.floor(next / twinSlotMs) - Math.floor(atMs / twinSlotMs)).to.be.oneOf([0, 1])
      expect(nextTwinAtMs('0xa1', next - 1, twinSlotMs)).to.equal(next)
      offsets.add(next % twinSlotMs)
      atMs = next
    }
    expect(offsets.size).to.be.greaterThan(250)
    expect(nextTwinAtMs('0xa2', 0, twinSlotMs)).not.to.equal(nextTwinAtMs('0xa1', 0, twinSlotMs))
  })
})
