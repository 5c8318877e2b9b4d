import { expect } from 'chai'
import { createAddressMaps } from '../../../ingest/chain-a/address-maps.ts'
import type { ChainAAddress } from '../../../schemas/chain-a/addresses.ts'
import { poolLifeMs } from '../../../schemas/chain-a/pool-life.ts'
import type { EpochMs } from '../../../schemas/units.ts'

const poolAt = (pool: `0x${string}`, createdAtMs: number): ChainAAddress => ({
  type: 'PoolAddress',
  data: { pool, token: '0x70', dex: 'v3', ethIsCurrency0: true, hooks: null, createdBlock: 1, createdAtMs },
})
const position = (positionId: `0x${string}`, pool: `0x${string}`): ChainAAddress => ({
  type: 'PositionAddress',
  data: { positionId, pool },
})

function mapsOf(...addresses: readonly ChainAAddress[]) {
  const maps = createAddressMaps()
  for (const address of addresses) maps.put(address)
  return maps
}

/** The last time at which the address book keeps a pool that was created at time 0. */
const overAtMs: EpochMs = Number(poolLifeMs)

describe('the address book of chain A', () => {
  it('forgets all positions of a pool with it, once its life is over', () => {
    const maps = mapsOf(
      poolAt('0xaa', 0),
      poolAt('0xbb', 50),
      ...[position('0x01', '0xaa'), position('0x02', '0xaa'), position('0x03', '0xbb')],
    )
    expect(maps.expired(overAtMs)).to.deep.equal([])
    expect(maps.expired(overAtMs + 1)).to.deep.equal(['0x01', '0x02', '0xaa'])
    for (const key of maps.expired(overAtMs + 1)) maps.drop(key)
    expect([...maps.known.positions.keys()]).to.deep.equal(['0x03'])
    expect(maps.expired(overAtMs + 51)).to.deep.equal(['0x03', '0xbb'])
  })

  it('forgets a position once, and leaves one that has moved to another pool with that', () => {
    const moved = mapsOf(
      poolAt('0xaa', 0),
      poolAt('0xbb', 50),
      ...[position('0x01', '0xaa'), position('0x01', '0xaa'), position('0x02', '0xaa'), position('0x02', '0xbb')],
    )
    expect(moved.expired(overAtMs + 1)).to.deep.equal(['0x01', '0xaa'])
    expect(moved.expired(overAtMs + 51)).to.deep.equal(['0x01', '0x02', '0xaa', '0xbb'])
  })

  it('knows no position of a pool that it does not know', () => {
    expect(mapsOf(position('0x01', '0xaa')).known.positions.size).to.equal(0)
  })
})
