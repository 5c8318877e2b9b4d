import { expect } from 'chai'
import fc from 'fast-check'
import { base58OfHex, hexOfBase58 } from '../../../../infra/base58.ts'
import { readCurveAccount } from '../../../../ingest/chain-b/decode/curve-account.ts'
import { canonicalPoolOf, curveOfMint, tokenAccountsOf } from '../../../../ingest/chain-b/decode/derived-addresses.ts'
import { isStandardCurve } from '../../../../schemas/chain-b/curve.ts'
import { encodeValue } from '../../../support/chain-b/encode-events.ts'
import { recordedAccounts, recordedEvents, recordedTransactions } from '../../../support/chain-b/fixtures.ts'

const accounts = recordedAccounts()
const read = (name: string) => readCurveAccount(Buffer.from(accounts[name]!, 'base64'))

describe('the account of a curve', () => {
  it('of 2024 has 49 bytes and no creator', () => {
    expect(Buffer.from(accounts['2024-08']!, 'base64')).to.have.lengthOf(49)
    const account = read('2024-08')!
    expect(account).to.deep.include({ creator: null, quoteMint: null, isMayhem: false, isComplete: false })
    expect(account.virtualTokenRaw - account.realTokenRaw).to.equal(279_900_000_000_000n)
    expect(account.virtualQuoteRaw - account.realQuoteRaw).to.equal(30_000_000_000n)
    expect(account.supplyRaw).to.equal(1_000_000_000_000_000n)
  })

  it('of 2026 has 151 bytes, with padding behind the fields', () => {
    expect(read('2026-06')).to.deep.equal({
      virtualTokenRaw: 1_068_623_864_070_275n,
      virtualQuoteRaw: 30_122_853_861n,
      realTokenRaw: 788_723_864_070_275n,
      realQuoteRaw: 122_853_861n,
      supplyRaw: 1_000_000_000_000_000n,
      isComplete: false,
      creator: '0xdd10b0576e99e8bbd541344fdc3f21ab50f39a64e09108d5d124a88d60992e7e',
      quoteMint: null,
      isMayhem: false,
    })
    const live = read('2026-07-29')!
    expect(live).to.deep.include({ realQuoteRaw: 789_008_086n, isComplete: false, isMayhem: false })
    expect(base58OfHex(live.creator!)).to.equal('5htGpHK2oV9g2BcDqLdRBqjCLdy8mc3fsESfR5DU73eM')
  })

  it('has no creator where its bytes are zeros', () => {
    const bytes = Buffer.from(accounts['2026-06']!, 'base64')
    bytes.fill(0, 49, 81)
    expect(readCurveAccount(bytes)?.creator).to.equal(null)
    bytes[80] = 1
    expect(readCurveAccount(bytes)?.creator).to.equal(`0x${'1'.padStart(64, '0')}`)
  })

  it('is of a standard curve', () => {
    for (const name of Object.keys(accounts)) expect(isStandardCurve(read(name)!), name).to.equal(true)
  })

  it('says whether the curve is complete, in mayhem mode, and its quote coin', () => {
    const bytes = Buffer.from(accounts['2026-06']!, 'base64')
    const usdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
    bytes[48] = 1
    bytes[81] = 1
    encodeValue({ key: usdc }).copy(bytes, 83)
    expect(readCurveAccount(bytes)).to.deep.include({
      isComplete: true,
      isMayhem: true,
      quoteMint: hexOfBase58(usdc, 32),
    })
  })

  it('is none if it is shorter than the first layout or begins otherwise', () => {
    const bytes = Buffer.from(accounts['2024-08']!, 'base64')
    expect(readCurveAccount(bytes.subarray(0, 48))).to.equal(null)
    expect(readCurveAccount(Buffer.concat([Buffer.alloc(8), bytes.subarray(8)]))).to.equal(null)
    expect(readCurveAccount(Buffer.alloc(0))).to.equal(null)
  })

  it('is read whatever stands behind the first layout, and wherever it ends', () => {
    const bytes = Buffer.from(accounts['2024-08']!, 'base64')
    const { creator: _creator, quoteMint: _quoteMint, isMayhem: _isMayhem, ...first } = read('2024-08')!
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (tail) => {
        expect(readCurveAccount(Buffer.concat([bytes, tail]))).to.deep.include(first)
      }),
    )
  })
})

describe('a derived address', () => {
  const decodedOf = (event: string) =>
    recordedEvents().flatMap((its) => (its.event === event ? [its.decoded as Record<string, string>] : []))

  it('of a mint’s curve is the recorded one', async () => {
    for (const { mint, bonding_curve } of [...decodedOf('CreateEvent'), ...decodedOf('CompleteEvent')])
      expect(await curveOfMint(mint!)).to.equal(bonding_curve)
  })

  it('of the tokens of a curve is one of a recorded trade, of the token program that made the mint', async () => {
    type Parsed = Readonly<{ message: Readonly<{ accountKeys: readonly Readonly<{ pubkey: string }>[] }> }>
    const places = new Set<number>()
    for (const [name, { transaction }] of Object.entries(recordedTransactions())) {
      if (!name.includes('jsonParsed')) continue
      const keys = (transaction as unknown as Parsed).message.accountKeys.map(({ pubkey }) => pubkey)
      for (const mint of keys) {
        const curve = await curveOfMint(mint)
        if (!keys.includes(curve)) continue
        const used = (await tokenAccountsOf(curve, mint)).map((address) => keys.includes(address))
        expect(used, `${name} ${mint}`).to.have.members([true, false])
        places.add(used.indexOf(true))
      }
    }
    expect([...places].sort(), 'both programs').to.deep.equal([0, 1])
  })

  it('of a mint’s canonical pool is the one that it migrated into, and no pool that anybody created', async () => {
    for (const { mint, pool } of decodedOf('CompletePumpAmmMigrationEvent'))
      expect(await canonicalPoolOf(mint!)).to.equal(pool)
    for (const { base_mint, quote_mint, pool } of decodedOf('CreatePoolEvent')) {
      expect(await canonicalPoolOf(quote_mint!)).not.to.equal(pool)
      expect(await canonicalPoolOf(base_mint!, quote_mint)).not.to.equal(pool)
    }
  })
})
