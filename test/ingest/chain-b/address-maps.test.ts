import { expect } from 'chai'
import { base58OfHex } from '../../../infra/base58.ts'
import { chainBAddressBook, createAddressMaps } from '../../../ingest/chain-b/address-maps.ts'
import type { ChainBAddress } from '../../../schemas/chain-b/addresses.ts'
import { curveLifeMs, graduatedLifeMs } from '../../../schemas/chain-b/mint-life.ts'

const mintAt = (mint: `0x${string}`, seenAtMs: number): ChainBAddress => ({
  type: 'MintAddress',
  data: { mint, curve: '0xcc', sinceSlot: 1, seenAtMs, launchSlot: 1, launchAtMs: 5 },
})
const pool: ChainBAddress = {
  type: 'GraduatedPoolAddress',
  data: { pool: '0xaa', mint: '0x01', quoteMint: null, migratedSlot: 9, migratedAtMs: 100 },
}

describe('the address book of chain B', () => {
  it('knows mints and pools by their own addresses', () => {
    const maps = createAddressMaps()
    for (const record of [mintAt('0x01', 5), pool]) {
      maps.put(record)
      const key = chainBAddressBook.keyOf(record)
      expect(maps.known.mints.has(key) || maps.known.pools.has(key)).to.equal(true)
    }
    maps.drop('0xaa')
    expect([...maps.known.mints.keys(), ...maps.known.pools.keys()]).to.deep.equal(['0x01'])
    maps.drop('0x01')
    expect(maps.known.mints.size).to.equal(0)
  })

  it('forgets a mint a day after it was last seen, and a pool once it is followed no more', () => {
    const maps = createAddressMaps()
    for (const record of [mintAt('0x01', 0), mintAt('0x02', 50), pool]) maps.put(record)
    expect(maps.expired(100 + graduatedLifeMs)).to.deep.equal([])
    expect(maps.expired(101 + graduatedLifeMs)).to.deep.equal(['0xaa'])
    maps.drop('0xaa')
    expect(maps.expired(curveLifeMs - 1)).to.deep.equal([])
    expect(maps.expired(0 + curveLifeMs)).to.deep.equal(['0x01'])
    maps.put(mintAt('0x01', 60))
    expect(maps.expired(curveLifeMs + 49)).to.deep.equal([])
    expect(maps.expired(curveLifeMs + 60)).to.deep.equal(['0x02', '0x01'])
  })

  it('keeps mints and pools of called tokens, and forgets those behind them', () => {
    const untilMs = 48 * 3_600_000
    const called = base58OfHex('0x01')
    const maps = createAddressMaps({ of: (token) => (token === called ? [{ sinceMs: 200, untilMs }] : []) })
    const other = { type: pool.type, data: { ...pool.data, pool: '0xbb', mint: '0x02' } } as ChainBAddress
    for (const record of [mintAt('0x01', 300), mintAt('0x02', 300), pool, other]) maps.put(record)
    expect(maps.expired(300 + curveLifeMs)).to.deep.equal(['0xbb', '0x02'])
    expect(maps.expired(untilMs - 1)).to.deep.equal(['0xbb', '0x02'])
    expect(maps.expired(untilMs + 1)).to.deep.equal(['0xaa', '0xbb', '0x01', '0x02'])
  })
})
