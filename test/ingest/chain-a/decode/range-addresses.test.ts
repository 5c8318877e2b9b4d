import { expect } from 'chai'
import { createRangeAddresses } from '../../../../ingest/chain-a/decode/range-addresses.ts'
import type { CurveAddress, PoolAddress } from '../../../../schemas/chain-a/addresses.ts'
import { buildAddress, buildHash } from '../../../support/builders/build-facts.ts'

const [token, pool, curve, positionId] = [buildAddress(1), buildHash(2), buildAddress(3), buildHash(4)] as const
const poolAddress = {
  pool,
  token,
  dex: 'v4',
  ethIsCurrency0: true,
  hooks: null,
  createdBlock: 7,
  createdAtMs: 70,
} as const
const curveAddress: CurveAddress = {
  ...{ curve, token, launchpad: 'pons-v2', sinceBlock: 7, seenAtMs: 70, launchBlock: 7, launchAtMs: 70 },
}
const empty = () => ({ pools: new Map(), positions: new Map(), curves: new Map(), followed: new Map() }) as never

describe('the address book of a range of chain A', () => {
  it('keeps a new pool, position and curve apart', () => {
    const book = createRangeAddresses(empty())
    book.learn({ type: 'PoolAddress', data: poolAddress })
    expect(book.poolOf(pool)).to.deep.equal(poolAddress satisfies PoolAddress)
    expect([book.curveOfToken(token), book.curveOf(curve), book.poolOfPosition(positionId)]).to.deep.equal([
      ...[undefined, undefined, undefined],
    ])
    book.learn({ type: 'PositionAddress', data: { positionId, pool } })
    expect(book.poolOfPosition(positionId)).to.deep.equal(poolAddress)
    expect(book.curveOfToken(token)).to.equal(undefined)
    book.learn({ type: 'CurveAddress', data: curveAddress })
    expect([book.curveOfToken(token), book.curveOf(curve)]).to.deep.equal([curveAddress, curveAddress])
    expect(book.newAddresses().map(({ type }) => type)).to.deep.equal([
      'PoolAddress',
      'PositionAddress',
      'CurveAddress',
    ])
    expect(book.staleAddresses()).to.deep.equal([])
  })

  it('drops curves of blocks that will be published again, unless the range has them', () => {
    const other = { ...curveAddress, curve: buildAddress(9), token: buildAddress(8), sinceBlock: 6 }
    const known = { curves: new Map([[curve, curveAddress], ...([[other.curve, other]] as const)]) }
    const book = createRangeAddresses({ ...(empty() as object), ...known } as never, 7)
    expect([book.curveOf(curve), book.curveOfToken(token)]).to.deep.equal([undefined, undefined])
    expect([book.curveOf(other.curve), book.curveOfToken(other.token)]).to.deep.equal([other, other])
    expect(book.staleAddresses()).to.deep.equal([curve])
    book.learn({ type: 'CurveAddress', data: curveAddress })
    expect(book.staleAddresses()).to.deep.equal([])
  })
})
