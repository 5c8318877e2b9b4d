import { expect } from 'chai'
import { hexOfBase58 } from '../../../../infra/base58.ts'
import { isOperationError } from '../../../../infra/errors.ts'
import { canonicalPoolOf, curveOfMint, tokenAccountsOf } from '../../../../ingest/chain-b/decode/derived-addresses.ts'
import { createRugCheck, type RugCheckOptions } from '../../../../ingest/chain-b/lookups/rug-check.ts'
import { createSafetyLookup, type SafetyReport } from '../../../../ingest/chain-b/lookups/safety.ts'
import { rowKeyOf } from '../../../../schemas/chain-b/derived.ts'
import { type Answer, type AnsweringServer, startAnswering } from '../answering.ts'

const mint = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
const pool = 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA'
const never = new AbortController().signal

/**
 * A report in RugCheck's form. The best score is 0, and shares are in percent. An authority that was given up
 * is null.
 */
const report = {
  mint,
  token: { mintAuthority: null, freezeAuthority: pool, supply: 1e15, decimals: 6 },
  tokenMeta: { name: 'Bonk', symbol: 'BONK', mutable: true },
  score: 750,
  score_normalised: 12,
  rugged: false,
  risks: [{ name: 'Low Liquidity', value: '', description: 'few', score: 500, level: 'danger' }],
  topHolders: [
    { address: 'a1', owner: pool, pct: 40 },
    { address: 'a2', owner: 'someone', pct: 8.5, insider: false },
    { address: 'a3', owner: 'other', pct: 5 },
  ],
  knownAccounts: { [pool]: { name: 'Pump Fun AMM', type: 'AMM' } },
  markets: [{ lp: { lpLockedPct: 10, quoteUSD: 5 } }, { lp: { lpLockedPct: 95, quoteUSD: 45_000 } }, { lp: null }],
}

describe('the report of a rug-check provider', () => {
  let server: AnsweringServer
  let answer: Answer
  const paths: string[] = []
  before(async () => {
    server = await startAnswering(({ path }) => {
      paths.push(path)
      return answer
    })
  })
  after(() => server.stop())

  const check = (rest: Partial<RugCheckOptions> = {}): Promise<SafetyReport> =>
    createRugCheck({ url: `${server.url}/base/?key=a-secret-key`, limitMs: 2_000, ...rest }).check(mint, never)
  const failureOf = async (rest?: Partial<RugCheckOptions>): Promise<string> => {
    const error = await check(rest).then(
      () => expect.fail('it was read'),
      (reason: unknown) => reason,
    )
    if (!isOperationError(error, 'provider_failed')) throw error
    expect(error.message).not.to.include('secret')
    return error.message
  }
  const say = (said: object): void => {
    answer = { body: JSON.stringify(said) }
  }

  it('is read with its shares between 0 and 1, and without markets among the holders', async () => {
    say(report)
    expect(await check()).to.deep.equal({
      score: 12,
      isRugged: false,
      mintAuthority: null,
      freezeAuthority: hexOfBase58(pool, 32),
      lpLockedShare: 0.95,
      topHolderShare: 0.085,
      risks: [{ name: 'Low Liquidity', level: 'danger' }],
      hasPool: null,
    })
    expect(paths.at(-1)).to.equal(`/base/v1/tokens/${mint}/report?key=a-secret-key`)
  })

  it('may leave out all but the authorities', async () => {
    const nothing = { isRugged: null, lpLockedShare: null, topHolderShare: null, risks: [], hasPool: null }
    say({ token: { mintAuthority: '', freezeAuthority: null }, score: 3 })
    expect(await check()).to.deep.equal({ score: 3, mintAuthority: null, freezeAuthority: null, ...nothing })
    const odd = { topHolders: [{ pct: 'many' }], markets: [{ lp: { lpLockedPct: -1 } }], rugged: 'no', score: '1' }
    say({ token: { mintAuthority: null, freezeAuthority: null }, ...odd })
    expect(await check()).to.deep.equal({ score: null, mintAuthority: null, freezeAuthority: null, ...nothing })
  })

  /** Returns the accounts that the curve and its pool use themselves, by their kind. */
  const own = async () => {
    const [curve, canonical] = await Promise.all([curveOfMint(mint), canonicalPoolOf(mint)])
    const [curveVaults, poolVaults] = await Promise.all([
      tokenAccountsOf(curve, mint),
      tokenAccountsOf(canonical, mint),
    ])
    return { curve, pool: canonical, vaults: [...curveVaults, ...poolVaults] }
  }
  type Holder = Readonly<{ address?: string; owner?: string; pct?: number | null }>
  const topShareOf = async (topHolders: readonly Holder[] | null, knownAccounts = {}) => {
    say({ ...report, topHolders, knownAccounts })
    return (await check()).topHolderShare
  }

  it('never has the curve, its pool or their token accounts among the holders, whatever they are called', async () => {
    const { curve, pool: canonical, vaults } = await own()
    const someone = { address: 'a2', owner: 'someone', pct: 8 }
    for (const address of [curve, canonical, ...vaults]) {
      const named = { [address]: { name: 'a whale', type: 'CREATOR' } }
      for (const known of [{}, named, { [address]: { name: 'it', type: 'AMM' } }]) {
        expect(await topShareOf([{ address, pct: 90 }, someone], known), `account ${address}`).to.equal(0.08)
        const owned = { address: 'a1', owner: address, pct: 90 }
        expect(await topShareOf([owned, someone], known), `owner ${address}`).to.equal(0.08)
      }
    }
    expect(vaults, 'of both token programs').to.have.length(4)
  })

  it('says nothing of the largest holder where only own accounts are listed, or nobody', async () => {
    const { curve, pool: canonical } = await own()
    const listed = [
      { address: 'a1', owner: curve, pct: 80 },
      { address: 'a2', owner: canonical, pct: 20 },
    ]
    for (const holders of [listed, [], null]) expect(await topShareOf(holders)).to.equal(null)
  })

  it('counts the accounts of one owner together', async () => {
    const holders = [
      { address: 'a1', owner: 'one', pct: 4 },
      { address: 'a2', owner: 'two', pct: 5 },
      { address: 'a3', owner: 'one', pct: 4 },
      { address: 'a4', pct: 6 },
      { address: 'a5', pct: 6 },
      { address: 'a6', owner: 'one', pct: null },
    ]
    expect(await topShareOf(holders)).to.equal(0.08)
  })

  it('takes the locked share of the deepest market that is not the curve, and sees whether there is a pool', async () => {
    const { curve, pool: canonical } = await own()
    const market = (pubkey: string | null, lpLockedPct: number, quoteUSD: number) => ({
      pubkey,
      lp: { lpLockedPct, quoteUSD },
    })
    const other = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
    const cases: readonly (readonly [
      string,
      markets: readonly object[] | null,
      hasPool: boolean | null,
      share: number | null,
    ])[] = [
      ['nothing', null, null, null],
      ['no market', [], null, null],
      ['no addresses', [market(null, 50, 1)], null, 0.5],
      ['the curve', [market(curve, 0, 9)], false, null],
      ['the curve and a small pool of anybody', [market(curve, 0, 9), market(other, 20, 1)], false, 0.2],
      ['the curve and its pool', [market(curve, 0, 9), market(canonical, 100, 5)], true, 1],
      ['the pool alone', [market(canonical, 100, 5)], true, 1],
      ['a market elsewhere', [market(other, 30, 5)], true, 0.3],
    ]
    for (const [what, markets, hasPool, lpLockedShare] of cases) {
      say({ ...report, markets })
      expect(await check(), what).to.deep.include({ hasPool, lpLockedShare })
    }
  })

  it('has at most 50 risks, with short names', async () => {
    const risk = { name: 'x'.repeat(1000), level: 'danger' }
    say({ ...report, risks: Array.from({ length: 60 }, () => risk) })
    const { risks } = await check()
    expect([risks.length, risks[0]?.name.length]).to.deep.equal([50, 200])
  })

  const faults: readonly (readonly [string, Answer, RegExp])[] = [
    ['is late', 'silent', /did not answer in 100 ms$/],
    ['breaks off', 'cut', /did not answer$/],
    ['fails', { status: 500, body: 'oops' }, /status 500$/],
    ['does not know the token', { status: 404, body: '{}' }, /status 404$/],
    ['sends a page', { body: '<html>' }, /is not JSON$/],
    ['sends something else', { body: '[]' }, /is not a valid report/],
    ['leaves out the token', { body: JSON.stringify({ ...report, token: undefined }) }, /is not a valid report: token/],
    [
      'names an authority that is none',
      { body: JSON.stringify({ ...report, token: { mintAuthority: 'nobody', freezeAuthority: null } }) },
      /token\.mintAuthority is not an address$/,
    ],
    ['answers for another token', { body: JSON.stringify({ ...report, mint: pool }) }, /for another token$/],
  ]
  for (const [name, faulty, message] of faults)
    it(`is none from a provider that ${name}`, async () => {
      answer = faulty
      expect(await failureOf({ limitMs: 100 + (faulty === 'silent' ? 0 : 5_000) })).to.match(message)
    })

  it('is none if it is too large', async () => {
    say({ ...report, more: 'x'.repeat(20_000) })
    expect(await failureOf({ bytesMax: 10_000 })).to.match(/larger than 10000 bytes$/)
  })

  it('is none from a provider that is away', async () => {
    expect(await failureOf({ url: 'http://127.0.0.1:9/?key=a-secret-key' })).to.equal('127.0.0.1:9 did not answer')
  })
})

describe('the lookup of safety', () => {
  const asked = { questionId: `${mint}:5:call`, revision: 0, atMs: 5, reason: 'call' } as const
  const found = { score: 1, isRugged: null, mintAuthority: null, freezeAuthority: null } as const
  const safety: SafetyReport = { ...found, lpLockedShare: null, topHolderShare: null, risks: [], hasPool: null }
  const lookup = createSafetyLookup({ name: 'provider', check: async () => safety })
  const find = (ageMs: number, questionId: string = asked.questionId) =>
    lookup.find({ ...asked, questionId }, { signal: never, ageMs: () => ageMs }).catch((error: unknown) => error)

  it('says who said it, and that it failed', () => {
    expect(lookup.answerOf(asked, safety)).to.deep.equal({ provider: 'provider', report: safety })
    expect(lookup.answerOf(asked, null)).to.deep.equal({ provider: 'provider', report: null })
  })

  it('asks about the mint of the question while that is of now', async () => {
    expect(await find(120_000)).to.deep.equal({ found: safety })
    expect(await find(120_001)).to.have.property(
      'message',
      'the question is too old: the provider reports only the present',
    )
    expect(await find(0, 'nothing:5')).to.have.property('message', 'the question nothing:5 names no mint')
  })

  it('names its question by the mint, the instant and the reason, as its record does', () => {
    const row = { recordType: 'SafetyAsked', atMs: 5, txHash: null, logIndex: null, name: 'call' } as const
    expect(lookup.questionIdOf(rowKeyOf({ type: 'SafetyAsked', data: asked }), mint)).to.equal(asked.questionId)
    expect(rowKeyOf({ type: 'SafetyAsked', data: asked })).to.deep.equal(row)
  })

  it('asks who never changes its word about any time', async () => {
    const timeless = createSafetyLookup({ name: 'provider', isTimeless: true, check: async () => safety })
    expect(await timeless.find(asked, { signal: never, ageMs: () => 86_400_000 })).to.deep.equal({ found: safety })
  })
})
