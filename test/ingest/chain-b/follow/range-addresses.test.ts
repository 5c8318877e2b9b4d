import { expect } from 'chai'
import { createRangeAddresses } from '../../../../ingest/chain-b/follow/range-addresses.ts'
import { nobodyCalled } from '../../../../ingest/followed-tokens.ts'
import type { GraduatedPoolAddress, MintAddress } from '../../../../schemas/chain-b/addresses.ts'
import { curveLifeMs, graduatedLifeMs } from '../../../../schemas/chain-b/mint-life.ts'
import { buildKey } from '../../../support/chain-b/build-facts.ts'

const [mint, curve, pool] = [buildKey(1), buildKey(2), buildKey(3)]

const mintAt = (fields: Partial<MintAddress> = {}): MintAddress => ({
  ...{ mint, curve, sinceSlot: 100, seenAtMs: 0, launchSlot: 100, launchAtMs: 0 },
  ...fields,
})
const poolAt = (fields: Partial<GraduatedPoolAddress> = {}): GraduatedPoolAddress => ({
  ...{ pool, mint, quoteMint: null, migratedSlot: 100, migratedAtMs: 0 },
  ...fields,
})
const bookOf = (mints: readonly MintAddress[], pools: readonly GraduatedPoolAddress[] = []) => ({
  mints: new Map(mints.map((each) => [each.mint, each])),
  pools: new Map(pools.map((each) => [each.pool, each])),
  followed: nobodyCalled,
})

describe('the address book within a range of chain B', () => {
  it('knows a mint for a day after it was seen, and a pool for 65 minutes', () => {
    const book = createRangeAddresses(bookOf([mintAt()], [poolAt()]), 200)
    expect([curveLifeMs - 1, curveLifeMs].map((atMs) => book.isKnown(mint, atMs))).to.deep.equal([true, false])
    const atMs = [graduatedLifeMs, graduatedLifeMs + 1]
    expect(atMs.map((each) => book.poolOf(pool, each) !== undefined)).to.deep.equal([true, false])
  })

  it('does not know what a crash or a reorg left from its first slot on, and has it removed', () => {
    const left = bookOf([mintAt({ sinceSlot: 200 })], [poolAt({ migratedSlot: 200 })])
    const book = createRangeAddresses(left, 200)
    expect([book.isKnown(mint, 0), book.poolOf(pool, 0)]).to.deep.equal([false, undefined])
    expect(book.staleAddresses()).to.deep.equal([mint, pool])
  })

  it('keeps what the slots hold again', () => {
    const book = createRangeAddresses(bookOf([mintAt({ sinceSlot: 200 })], [poolAt({ migratedSlot: 200 })]), 200)
    book.learn({ type: 'MintAddress', data: mintAt({ sinceSlot: 205 }) })
    book.learn({ type: 'GraduatedPoolAddress', data: poolAt({ migratedSlot: 206 }) })
    expect(book.isKnown(mint, 0)).to.equal(true)
    expect(book.staleAddresses()).to.deep.equal([])
    expect(book.newAddresses().map(({ type }) => type)).to.deep.equal(['MintAddress', 'GraduatedPoolAddress'])
  })

  it('renews a mint that is traded some hours later, and not at every trade', () => {
    const book = createRangeAddresses(bookOf([mintAt()]), 200)
    book.seen(mint, curveLifeMs / 4 - 1)
    expect(book.newAddresses()).to.deep.equal([])
    book.seen(mint, curveLifeMs / 4)
    expect(book.newAddresses()).to.deep.equal([{ type: 'MintAddress', data: mintAt({ seenAtMs: curveLifeMs / 4 }) }])
    expect(book.isKnown(mint, 0 + curveLifeMs)).to.equal(true)
  })
})
