import { expect } from 'chai'
import { base58OfHex, hexOfBase58 } from '../../../../infra/base58.ts'
import { OperationError } from '../../../../infra/errors.ts'
import { canonicalPoolOf, curveOfMint } from '../../../../ingest/chain-b/decode/derived-addresses.ts'
import { openReader } from '../../../../ingest/chain-b/node/open-reader.ts'
import { createMarketReader, createMintPrice } from '../../../../ingest/chain-b/price/market-price.ts'
import { createPriceSource, type FoundPrice, type PriceSource } from '../../../../ingest/prices/price-source.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { encodeValue, type Value } from '../../../support/chain-b/encode-events.ts'
import { recordedAccounts } from '../../../support/chain-b/fixtures.ts'
import { type AnsweringServer, startAnswering } from '../answering.ts'

const token = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
const otherToken = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const wrappedSol = 'So11111111111111111111111111111111111111112'
const pump = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'
const pumpSwap = 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA'
const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const never = new AbortController().signal

const addressOf = (number: number): string => base58OfHex(`0x${number.toString(16).padStart(64, '0')}`)
const [baseAccount, quoteAccount, anybody] = [addressOf(11), addressOf(12), addressOf(13)]

type Account = Readonly<{ owner: string; bytes: Buffer }>

/** Returns the account of a pool, encoded here independently: eight bytes for the kind, and then the fields. */
function poolAccount(
  fields: Readonly<{ base?: string; quote?: string; virtualQuoteRaw?: bigint | null }> = {},
): Account {
  const { base = token, quote = wrappedSol, virtualQuoteRaw = null } = fields
  const values: readonly Value[] = [
    ...[{ u8: 255 }, { u16: 0 }, { key: anybody }, { key: base }, { key: quote }, { key: anybody }],
    ...[{ key: baseAccount }, { key: quoteAccount }, { u64: 4_193_388n }, { key: anybody }],
    ...(virtualQuoteRaw === null ? [] : [{ bool: false }, { bool: true }, { i128: virtualQuoteRaw }]),
  ]
  return { owner: pumpSwap, bytes: Buffer.concat([Buffer.from('f19a6d0411b16dbc', 'hex'), ...values.map(encodeValue)]) }
}

const tokenAccount = (mint: string, tokenRaw: bigint): Account => ({
  owner: tokenProgram,
  bytes: Buffer.concat([...[{ key: mint }, { key: anybody }, { u64: tokenRaw }].map(encodeValue), Buffer.alloc(93)]),
})

const curveAccount = (name: string, change: (bytes: Buffer) => void = () => {}): Account => {
  const bytes = Buffer.from(recordedAccounts()[name] as string, 'base64')
  change(bytes)
  return { owner: pump, bytes }
}
const complete = (bytes: Buffer) => bytes.fill(1, 48, 49)

/**
 * Uses the service's own client over a real connection. The accounts of curves were recorded, and the
 * accounts of pools are built here.
 */
describe('the price of a market of chain B on its node', () => {
  let server: AnsweringServer
  let accounts: Map<string, Account>
  before(async () => {
    server = await startAnswering(({ body }) => {
      const { id, params } = JSON.parse(body) as Readonly<{ id: number; params: [readonly string[]] }>
      const value = params[0].map((address) => {
        const account = accounts.get(address)
        if (!account) return null
        const data = [account.bytes.toString('base64'), 'base64']
        return { data, owner: account.owner, lamports: 1, executable: false, rentEpoch: 0 }
      })
      return { body: JSON.stringify({ jsonrpc: '2.0', id, result: { context: { slot: 5 }, value } }) }
    })
  })
  after(() => server.stop())

  const [curve, pool] = [curveOfMint(token), canonicalPoolOf(token)]
  beforeEach(() => {
    accounts = new Map()
  })
  const read = async (market: string, asked = token) => {
    const reader = openReader({ url: server.url, isHelius: false, triesMax: 1 })
    const question = { token: asked, market: hexOfBase58(market, 32) as Hex, atMs: 0 }
    return await createMarketReader(reader)(question, never)
  }
  const failureOf = (market: string, asked?: string) =>
    read(market, asked).then(
      ({ px }) => `a price: ${px}`,
      ({ code, message }: OperationError) => (code === 'nothing_found' ? message : `${code}: ${message}`),
    )
  const graduated = async (account: Account, quoteRaw = 80_000_000_000n, tokenRaw = 200_000_000_000_000n) => {
    accounts.set(await pool, account)
    accounts.set(baseAccount, tokenAccount(token, tokenRaw))
    accounts.set(quoteAccount, tokenAccount(wrappedSol, quoteRaw))
  }

  it('is that of the recorded curve, in SOL per raw token unit', async () => {
    accounts.set(await curve, curveAccount('2026-06'))
    expect(await read(await curve)).to.deep.equal({
      ...{ px: 30.122853861 / 1_068_623_864_070_275, source: 'curve', mcapUsd: null, change1h: null },
    })
  })

  it('is that of the pool, from what its accounts hold', async () => {
    await graduated(poolAccount())
    expect(await read(await pool)).to.deep.include({ px: 80 / 200_000_000_000_000, source: 'pool' })
  })

  for (const [virtualQuoteRaw, sol] of [
    [5_000_000_000n, 85],
    [-5_000_000_000n, 75],
  ] as const)
    it(`counts what a pool has virtually: ${virtualQuoteRaw}`, async () => {
      await graduated(poolAccount({ virtualQuoteRaw }))
      expect((await read(await pool)).px).to.equal(sol / 200_000_000_000_000)
    })

  it('is that of the pool which a curve became', async () => {
    accounts.set(await curve, curveAccount('2026-06', complete))
    await graduated(poolAccount())
    expect((await read(await curve)).source).to.equal('pool')
  })

  const none: readonly (readonly [string, string, () => Promise<unknown>])[] = [
    ['there is no account', 'the mint has no pool', async () => {}],
    [
      'the curve is complete and has no pool yet',
      'the mint has no pool',
      async () => accounts.set(await curve, curveAccount('2026-06', complete)),
    ],
    [
      'the curve trades against a dollar',
      'the curve trades against another coin than SOL',
      async () =>
        accounts.set(
          await curve,
          curveAccount('2026-06', (bytes) => encodeValue({ key: otherToken }).copy(bytes, 83)),
        ),
    ],
    [
      'another program owns the account',
      'the mint has no pool',
      async () => accounts.set(await curve, { ...curveAccount('2026-06'), owner: tokenProgram }),
    ],
  ]
  for (const [what, failure, given] of none)
    it(`is none where ${what}`, async () => {
      await given()
      expect(await failureOf(await curve)).to.equal(failure)
    })

  const noPool: readonly (readonly [string, string, () => Promise<void>])[] = [
    ['of another token', 'the mint has no pool', () => graduated(poolAccount({ base: otherToken }))],
    [
      'against a dollar',
      'the pool trades against another coin than SOL',
      () => graduated(poolAccount({ quote: otherToken })),
    ],
    [
      'that is cut off',
      'the mint has no pool',
      () => graduated({ owner: pumpSwap, bytes: poolAccount().bytes.subarray(0, 100) }),
    ],
    ['without SOL', 'the market is empty', () => graduated(poolAccount(), 0n)],
    ['without tokens', 'the market is empty', () => graduated(poolAccount(), 1n, 0n)],
    [
      'whose virtual reserve takes all',
      'the market is empty',
      () => graduated(poolAccount({ virtualQuoteRaw: -80_000_000_000n })),
    ],
    [
      'whose accounts are away',
      'node_inconsistent: the accounts of the pool could not be read',
      async () => {
        await graduated(poolAccount())
        accounts.delete(quoteAccount)
      },
    ],
    [
      'whose account is of another token',
      'node_inconsistent: the accounts of the pool could not be read',
      async () => {
        await graduated(poolAccount())
        accounts.set(baseAccount, tokenAccount(otherToken, 5n))
      },
    ],
  ]
  for (const [what, failure, given] of noPool)
    it(`is none in a pool ${what}`, async () => {
      await given()
      expect(await failureOf(await pool)).to.equal(failure)
    })

  for (const [what, answer, code] of [
    ['is away', { status: 503, body: '' }, 'node_unreachable'],
    ['limits requests', { status: 429, body: '' }, 'node_unreachable'],
    ['refuses', { body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}' }, 'node_refused'],
    ['sends something else', { body: '{"jsonrpc":"2.0","id":1,"result":7}' }, 'node_inconsistent'],
  ] as const)
    it(`says nothing of the token where the node ${what}`, async () => {
      const failing = await startAnswering(() => answer)
      const reader = openReader({ url: failing.url, isHelius: false, triesMax: 1 })
      const question = { token, market: hexOfBase58(await curve, 32) as Hex, atMs: 0 }
      const failure = await createMarketReader(reader)(question, never).catch((error: OperationError) => error.code)
      await failing.stop()
      expect(failure).to.equal(code)
    })

  it('is none of an address that is neither the curve nor the pool of the mint', async () => {
    accounts.set(await curve, curveAccount('2026-06'))
    expect(await failureOf(await curve, otherToken)).to.match(/^node_inconsistent: .* neither the curve nor the pool/)
    expect(await failureOf(addressOf(5))).to.match(/^node_inconsistent: .* neither the curve nor the pool/)
  })

  describe('that nobody told', () => {
    const inUsd: FoundPrice = { px: 0.25, source: 'aggregator', mcapUsd: 250_000, change1h: null }
    const tells: PriceSource = async () => inUsd
    const mustNotBeAsked: PriceSource = async () => {
      throw new RangeError('must not be asked')
    }
    const readMint = async (aggregator: PriceSource | null, { isInUsd = false, url = server.url } = {}) => {
      const reader = openReader({ url, isHelius: false, triesMax: 1, timeoutMs: 500 })
      const source = createPriceSource({
        readMarket: createMarketReader(reader),
        aggregator: createMintPrice(reader, aggregator),
      })
      return await source({ token, market: null, atMs: 0, isInUsd }, never)
    }
    const errorOf = (reading: Promise<unknown>) =>
      reading.then(
        () => expect.fail('it was read'),
        (error: unknown) => error,
      )

    it('is that of the pool which the curve of the mint migrates into, without asking an aggregator', async () => {
      await graduated(poolAccount())
      const price = { px: 80 / 200_000_000_000_000, source: 'pool', mcapUsd: null, change1h: null }
      for (const aggregator of [mustNotBeAsked, null]) expect(await readMint(aggregator)).to.deep.equal(price)
    })

    it('is what an aggregator tells where there is no such pool', async () => {
      expect(await readMint(tells)).to.deep.equal(inUsd)
      accounts.set(await pool, { ...poolAccount(), owner: tokenProgram })
      expect(await readMint(tells), 'another program').to.deep.equal(inUsd)
      accounts.set(await pool, poolAccount({ base: otherToken }))
      expect(await readMint(tells), 'of another mint').to.deep.equal(inUsd)
      accounts.set(await curve, curveAccount('2026-06', complete))
      expect(await readMint(tells), 'not migrated yet').to.deep.equal(inUsd)
    })

    it('is that of the aggregator where it is compared with one in USD, though there is a pool', async () => {
      await graduated(poolAccount())
      expect(await readMint(tells, { isInUsd: true })).to.deep.equal(inUsd)
    })

    it('is unknown where the node fails: the aggregator is not asked, and nobody says that there is none', async () => {
      await graduated(poolAccount())
      const error = await errorOf(readMint(mustNotBeAsked, { url: 'http://127.0.0.1:9' }))
      expect(error).to.be.instanceOf(OperationError).with.property('code', 'node_unreachable')
    })

    it('has no source without pool and aggregator', async () => {
      expect(await errorOf(readMint(null))).to.have.property(
        'message',
        'no price aggregator is configured (PRICE_AGGREGATOR_URL)',
      )
    })
  })
})
