import { expect } from 'chai'
import { poolMinutes } from '../../projections/chain-a/tables/pool-minutes.ts'
import { pools } from '../../projections/chain-a/tables/pools.ts'
import type { StageCut } from '../../projections/cuts.ts'
import { isUnchanged, type LastKnown, lastKnownOf } from '../../projections/recent-writes.ts'
import { minuteMs } from '../../schemas/units.ts'

describe('what is known of the newest rows of the tables', () => {
  const cutAt = (atMs: number, lastKnown?: LastKnown) =>
    ({ atMs, blockAtMs: atMs, ...(lastKnown && { lastKnown }) }) as StageCut
  const tables = [pools, poolMinutes]
  const known = (atMs: number) => ({ tables, askedAtMs: atMs, knownMs: atMs })

  it('shows that nothing changed only if no table has a newer row', () => {
    expect(isUnchanged(known(5), cutAt(9, { pools: 5, pool_minutes: 0 }))).to.equal(true)
    expect(isUnchanged(known(5), cutAt(9, { pools: 5, pool_minutes: 6 }))).to.equal(false)
    expect(isUnchanged(known(5), cutAt(9, { pools: 5 })), 'nothing is known of the minutes').to.equal(false)
    expect(isUnchanged(known(5), cutAt(9))).to.equal(false)
  })

  it('is believed for a minute after the last query', () => {
    const asked = { tables, askedAtMs: 5, knownMs: 9 }
    const lastKnown = { pools: 0, pool_minutes: 0 }
    expect(isUnchanged(asked, cutAt(5 + minuteMs - 1, lastKnown))).to.equal(true)
    expect(isUnchanged(asked, cutAt(5 + minuteMs, lastKnown))).to.equal(false)
  })

  it('is the newest time of all partitions, where all partitions have one', () => {
    expect(
      lastKnownOf([
        { pools: '5', bursts: '7' },
        { pools: '6', bursts: '0' },
      ]),
    ).to.deep.equal({ pools: 6, bursts: 7 })
    expect(lastKnownOf([{ pools: '5', bursts: '7' }, { pools: '6' }])).to.deep.equal({ pools: 6 })
    expect(lastKnownOf([{}, { pools: '6' }])).to.deep.equal({})
    expect(lastKnownOf([])).to.deep.equal({})
  })
})
