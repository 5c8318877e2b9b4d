import { expect } from 'chai'
import type { VerdictRow } from '../../../projections/chain-a/queries/chain-a-queries.ts'
import { verdictRulesInWords } from '../../../schemas/chain-a/verdict.ts'
import { fixedBurst, fixedCurve, fixedCut, fixedVerdict } from '../../support/fixed-queries.ts'
import { bodyOf, edgeOfTests, verdictPath } from '../edge.ts'

type Sold = Readonly<{
  token: string
  verdict: string
  reasons: readonly Readonly<{ rule: string; level: string }>[]
  rug: object | null
  precall: object | null
  desk: Readonly<{ lastTrade: object | null; firstShadow: object | null }>
  tokenAgeMin: number | null
  rules: readonly object[]
}>

/**
 * A verdict row for a token with safe liquidity, without chat calls and without trades of the paper desk (the
 * simulated trader).
 */
const calm: VerdictRow = {
  ...{ ...fixedVerdict, classes: ['safe'], insiderShare: 0, bornAtMs: fixedCut.blockAtMs - 3_600_000 },
  ...{ precall: null, lastTrade: null, shadows: [] },
}

describe('the verdict route of chain A', () => {
  const edge = edgeOfTests()
  let cutCount = 0
  /** Each purchase uses a newer data time (cut), because the service caches answers by cut. */
  const verdictOf = async (row: Partial<VerdictRow>): Promise<Sold> => {
    edge.state.verdict = { ...calm, ...row }
    cutCount += 1
    edge.state.cut = { ...fixedCut, atMs: fixedCut.atMs + cutCount }
    edge.nowMs = edge.state.cut.atMs + 500
    return (await bodyOf(edge.buy(verdictPath))) as unknown as Sold
  }
  const rulesOf = ({ reasons }: Sold) => reasons.map(({ rule }) => rule)

  it('shows what it was made from, in units of answers', async () => {
    const { rules, reasons, ...answer } = await verdictOf(fixedVerdict)
    expect(rules).to.deep.equal(verdictRulesInWords)
    expect(reasons).to.deep.equal(
      verdictRulesInWords.filter(({ rule }) => ['lp-held', 'call-young', 'young'].includes(rule)),
    )
    expect(answer).to.deep.equal({
      ...{ chain: 'chainA', schemaVersion: 1, generatedAt: fixedCut.atMs + cutCount, ageSec: 2 },
      ...{ token: fixedBurst.token, verdict: 'avoid', tokenAgeMin: (fixedCut.blockAtMs - 1_789_999_240_000) / 60_000 },
      rug: { class: 'held', insiderShare: 0.75, pools: 1, checkedAt: 1_789_999_840_000 },
      precall: {
        ...{ postedAt: 1_789_999_900_000, tracked: true, flags: ['young'], buys: 22, buyEth: 2.75, run60: 1.5 },
        ...{ ageAtCallMin: 11, wallets: 15, sameBlockWallets: 3 },
      },
      desk: {
        lastTrade: { book: 'main', mode: 'paper', retPct: -17.5, exit: 'take-profit', closedAt: 1_789_999_999_000 },
        firstShadow: {
          ...{ signalAt: 1_789_990_000_000, signal: 'burst', ret1: 0.25, ret5: -0.5, ret15: null, ret60: null },
          ...{ mfe: 0.5, mae: -0.75 },
        },
      },
    })
  })

  it('is ok without calls and without the desk: both are then null', async () => {
    const answer = await verdictOf({})
    expect(answer).to.deep.include({ verdict: 'ok', reasons: [], precall: null, tokenAgeMin: 60 })
    expect(answer.desk).to.deep.equal({ lastTrade: null, firstShadow: null })
  })

  it('is about the riskiest v4 pool, and knows nothing of v3 pools alone', async () => {
    const mixed = await verdictOf({ classes: ['safe', 'unknown', 'empty'], v4PoolCount: 3, v3PoolCount: 1 })
    expect(mixed.rug).to.include({ class: 'unknown', pools: 3 })
    expect([mixed.verdict, rulesOf(mixed)]).to.deep.equal(['caution', ['lp-unknown', 'lp-empty']])
    const v3 = await verdictOf({ classes: [], v4PoolCount: 0, v3PoolCount: 1, checkedAtMs: null })
    expect([v3.verdict, rulesOf(v3), v3.rug]).to.deep.equal(['caution', ['lp-not-profiled'], null])
  })

  it('is about the curve while the token is on it, not about pools that others made for it', async () => {
    const row = { curve: fixedCurve, classes: ['held'] as const, insiderShare: 1, isRugged: true }
    const onCurve = await verdictOf(row)
    expect([onCurve.verdict, rulesOf(onCurve)]).to.deep.equal(['caution', ['on-curve']])
    expect(onCurve.rug).to.deep.equal({ progress: 0.5, ethInCurve: 2.1, creator: null })
    expect(rulesOf(await verdictOf({ ...row, curve: null }))).to.deep.equal(['rugged', 'lp-held'])
  })

  it('is young below 30 minutes of age, and of no age where nobody knows it', async () => {
    const { blockAtMs } = fixedCut
    expect(rulesOf(await verdictOf({ bornAtMs: blockAtMs - 1_800_000 + 1 }))).to.deep.equal(['young'])
    expect(rulesOf(await verdictOf({ bornAtMs: blockAtMs - 1_800_000 }))).to.deep.equal([])
    expect(await verdictOf({ bornAtMs: null })).to.deep.include({ reasons: [], tokenAgeMin: null })
  })

  it('does not call buyers unknown where nobody bought, and does where they could not be read', async () => {
    const precall = { ...fixedVerdict.precall, flags: [], wallets: null } as unknown as NonNullable<
      VerdictRow['precall']
    >
    const ruleOf = async (its: Partial<typeof precall>) => rulesOf(await verdictOf({ precall: { ...precall, ...its } }))
    expect(await ruleOf({ buys: 1 })).to.deep.equal(['call-buyers-unknown'])
    expect(await ruleOf({ buys: 1, wallets: 1 })).to.deep.equal([])
    expect(await ruleOf({ buys: 0 })).to.deep.equal([])
    expect(await ruleOf({ buys: 0, isTracked: false }), 'not tracked').to.deep.equal(['call-buyers-unknown'])
  })

  it('tells no buys of a call whose token was not tracked: they are not known, and not none', async () => {
    const { precall } = fixedVerdict
    if (precall === null) expect.fail('the fixed verdict has a call')
    const shown = async (its: Partial<typeof precall>) =>
      (await verdictOf({ precall: { ...precall, buys: 0, buyEth: 0, ...its } })).precall
    expect(await shown({ isTracked: false })).to.include({ tracked: false, buys: null, buyEth: null })
    expect(await shown({ isTracked: true })).to.include({ tracked: true, buys: 0, buyEth: 0 })
  })

  it('follows the desk: a rug, a stop, a fall in the first shadow alone', async () => {
    const trade = fixedVerdict.lastTrade as NonNullable<VerdictRow['lastTrade']>
    const [shadow] = fixedVerdict.shadows
    if (shadow === undefined) expect.fail('the fixed verdict has a shadow')
    expect(rulesOf(await verdictOf({ lastTrade: { ...trade, exit: 'rug' } }))).to.deep.equal(['desk-rug'])
    expect(rulesOf(await verdictOf({ lastTrade: { ...trade, exit: 'stop' } }))).to.deep.equal(['desk-stop'])
    const fallen = { ...shadow, mae: -0.8 }
    expect(rulesOf(await verdictOf({ shadows: [fallen, shadow] }))).to.deep.equal(['shadow-crash'])
    expect(rulesOf(await verdictOf({ shadows: [shadow, fallen] }))).to.deep.equal([])
  })

  it('is refused for a token that nothing is known of, before any payment', async () => {
    const response = await edge.get(`/v1/rh/token/0x${'00'.repeat(20)}/verdict`)
    expect([response.status, (await bodyOf(response)).code]).to.deep.equal([404, 'not_tracked'])
    edge.state.verdict = null
    edge.state.cut = { ...fixedCut, atMs: fixedCut.atMs + 900 }
    edge.nowMs = edge.state.cut.atMs
    expect((await edge.buy(verdictPath)).status, 'withdrawn since').to.equal(404)
  })

  it('is sold without an ETH price, which it does not show', async () => {
    edge.state.verdict = calm
    edge.state.cut = { ...fixedCut, atMs: fixedCut.atMs + 901, coinPrice: null }
    edge.nowMs = edge.state.cut.atMs
    expect((await edge.get(verdictPath)).status).to.equal(402)
  })
})
