import { expect } from 'chai'
import { headlineOf } from '../../../api/chain-a/headline.ts'
import { tiers } from '../../../schemas/chain-a/derived.ts'
import { address, buildBurst, buildOutcome, noonMs } from '../../projections/derived-log.ts'

describe('the headlines of chain A', () => {
  const token = address(0xabcdef)

  it('are its bursts', () => {
    const burst = buildBurst({ tier: 'old', poolCreatedAtMs: noonMs - 16.9 * 60_000 })
    expect(headlineOf(token, burst)).to.deep.equal({
      atMs: noonMs,
      text: `old    ${token.slice(0, 8)}…cdef  +1.23 ETH in 60 s, 14 buys, pool 16 min old`,
    })
    expect(headlineOf(token, buildOutcome())).to.equal(null)
  })

  it('stand in columns, whatever the tier', () => {
    const starts = tiers.map((tier) => headlineOf(address(1), buildBurst({ tier }))?.text.indexOf('0x'))
    expect(new Set(starts).size).to.equal(1)
  })
})
