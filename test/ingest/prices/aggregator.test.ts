import { expect } from 'chai'
import { isOperationError, type OperationErrorCode } from '../../../infra/errors.ts'
import { type AggregatorOptions, createAggregator } from '../../../ingest/prices/aggregator.ts'
import { type Answer, type AnsweringServer, startAnswering } from '../chain-b/answering.ts'

const token = '0x940181a94a35a4569e4529a3cdfb74e38fd98631'
const mint = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
const never = new AbortController().signal
const asSide = { address: '0x940181a94A35A4569E4529A3CDfB74e38FD98631' }

/** Returns a pair as in DEX Screener's documentation. Prices are text, and changes are in percent. */
const pairOf = (fields: object = {}): object => ({
  chainId: 'base',
  dexId: 'uniswap',
  pairAddress: '0x3d5D143381916280ff91407FeBEB52f2b60f33Cf',
  labels: ['v3'],
  baseToken: { address: '0x940181a94A35A4569E4529A3CDfB74e38FD98631', name: 'Aerodrome', symbol: 'AERO' },
  quoteToken: { address: '0x4200000000000000000000000000000000000006', name: 'Wrapped Ether', symbol: 'WETH' },
  priceNative: '0.0002853',
  priceUsd: '0.7207',
  priceChange: { m5: -0.28, h1: -1.25, h6: -2.71, h24: 3.97 },
  liquidity: { usd: 1_017_969.4, base: 934_179, quote: 136.43 },
  fdv: 1_192_919_481,
  marketCap: 600_319_879,
  ...fields,
})

describe('the price of an aggregator', () => {
  let server: AnsweringServer
  let answer: Answer
  const paths: string[] = []
  /** Simulates DEX Screener. The form of its answers follows the documentation, and the values are invented. */
  before(async () => {
    server = await startAnswering(({ path }) => {
      paths.push(path)
      return answer
    })
  })
  after(() => server.stop())
  beforeEach(() => paths.splice(0))

  const open = (rest: Partial<AggregatorOptions> = {}) =>
    createAggregator({ url: server.url, chain: 'base', nowMs: Date.now, limitMs: 2_000, perMinMax: 1e9, ...rest })
  const priceOf = (asked = token) => open()({ token: asked, market: null, atMs: 0 }, never)
  const say = (said: unknown) => {
    answer = { body: JSON.stringify(said) }
  }
  const failureOf = async (code: OperationErrorCode, rest?: Partial<AggregatorOptions>): Promise<string> => {
    const error = await open(rest)({ token, market: null, atMs: 0 }, never).then(
      () => expect.fail('it was read'),
      (reason: unknown) => reason,
    )
    if (!isOperationError(error, code)) throw error
    expect(error.message).not.to.include('secret')
    return error.message
  }

  it('is that of the token in USD, with its market cap and the change of the last hour as a fraction', async () => {
    say([pairOf()])
    expect(await priceOf()).to.deep.equal({
      ...{ px: 0.7207, source: 'aggregator', mcapUsd: 600_319_879, change1h: -0.0125 },
    })
    expect(paths).to.deep.equal([`/tokens/v1/base/${token}`])
  })

  it('is asked for behind the path of the URL, with the key in its query', async () => {
    say([pairOf()])
    await open({ url: `${server.url}/proxy/?key=a-secret-key` })({ token, market: null, atMs: 0 }, never)
    expect(paths).to.deep.equal([`/proxy/tokens/v1/base/${token}?key=a-secret-key`])
  })

  it('is that of the deepest pair, the first among equals', async () => {
    say([
      pairOf({ priceUsd: '1', liquidity: null }),
      pairOf({ priceUsd: '2', liquidity: { usd: 50 } }),
      pairOf({ priceUsd: '3', liquidity: { usd: 900 } }),
      pairOf({ priceUsd: '4', liquidity: { usd: 900 } }),
    ])
    expect((await priceOf()).px).to.equal(3)
  })

  it('is not that of a pair that has the token on its other side, or has another spelling in base58', async () => {
    const asQuote = { baseToken: { address: mint.toLowerCase() }, quoteToken: { address: mint } }
    say([pairOf({ ...asQuote, priceUsd: '9' }), pairOf({ baseToken: { address: mint }, priceUsd: 2 })])
    expect((await priceOf(mint)).px).to.equal(2)
  })

  it('has the value of all tokens where the market cap is not told, and null where neither is', async () => {
    say([pairOf({ marketCap: null })])
    expect((await priceOf()).mcapUsd).to.equal(1_192_919_481)
    say([pairOf({ marketCap: undefined, fdv: 'much', priceChange: {} })])
    expect(await priceOf()).to.include({ mcapUsd: null, change1h: null })
  })

  for (const [what, pairs] of [
    ['no pair', []],
    [
      'no pair with a price',
      [pairOf({ priceUsd: undefined }), pairOf({ priceUsd: '0' }), pairOf({ priceUsd: 'x' }), 7],
    ],
    ['pairs with the token on their other side alone', [pairOf({ baseToken: { address: mint }, quoteToken: asSide })]],
  ] as const)
    it(`is none where it has ${what}`, async () => {
      say(pairs)
      expect(await failureOf('nothing_found')).to.contain('has no pair of the token')
    })

  /** None of these answers says anything about the token. */
  const broken: readonly (readonly [string, Answer, string])[] = [
    ['does not know the path', { status: 404, body: '[]' }, 'status 404'],
    ['limits requests', { status: 429, body: '[]' }, 'status 429'],
    ['is asked for too much', { status: 400, body: '[]' }, 'status 400'],
    ['speaks of other tokens', { body: JSON.stringify([pairOf({ baseToken: { address: mint } })]) }, 'other tokens'],
    ['sends a list of something else', { body: '[7, null, {"baseToken":{}}]' }, 'other tokens'],
    ['is late', 'silent', 'did not answer in 50 ms'],
    ['breaks off', 'cut', 'did not answer'],
    ['fails', { status: 500, body: '' }, 'status 500'],
    ['sends a page', { body: '<html>' }, 'is not JSON'],
    ['sends something else', { body: '{"pairs":null}' }, 'is not a list of pairs'],
    ['sends too much', { body: JSON.stringify([pairOf({ info: 'x'.repeat(5000) })]) }, 'larger than 4096 bytes'],
  ]
  for (const [what, said, failure] of broken)
    it(`fails where it ${what}`, async () => {
      answer = said
      const limitMs = said === 'silent' ? 50 : 2_000
      const rest = { url: `${server.url}?key=secret`, limitMs, bytesMax: 4096 }
      expect(await failureOf('provider_failed', rest)).to.contain(failure)
    })

  it('asks for nothing while it was told to rest', async () => {
    let nowMs = 0
    const readPrice = open({ nowMs: () => nowMs })
    const ask = () => readPrice({ token, market: null, atMs: 0 }, never).catch((error: Error) => error.message)
    answer = { status: 429, body: '', headers: { 'retry-after': '30' } }
    expect(await ask()).to.contain('status 429')
    say([pairOf()])
    nowMs = 29_999
    expect(await ask()).to.equal('the provider asked for a pause')
    expect(paths).to.have.length(1)
    nowMs = 30_000
    expect(await ask()).to.deep.include({ px: 0.7207 })
  })
})
