import { expect } from 'chai'
import type { VerdictRow } from '../../../projections/chain-b/queries/chain-b-queries.ts'
import { chainBVerdictRules, verdictMethod } from '../../../schemas/chain-b/verdict.ts'
import { fixedMint, fixedVerdict } from '../../support/chain-b/fixed-queries.ts'
import { bodyOf } from '../edge.ts'
import { chainBEdgeOfTests } from './edge.ts'

type Sold = Readonly<{
  safety: Readonly<{ pass: boolean | null; fails: readonly string[] }>
  scouts: Readonly<Record<'flow' | 'curve' | 'holders' | 'callers' | 'composite', number | null>>
  scanner: object | null
  trader: Readonly<{ action: string; conviction: number | null }>
  shadows: readonly object[]
  lastTrade: object | null
  method: object
}>

/** The `safety` values of a verdict without a rug check. */
const unknown = {
  ...{ pass: null, fails: [], asked: null, provider: null, checkedAt: null, score: null, lpLockedShare: null },
  ...{ mintAuthority: null, freezeAuthority: null, topHolderShare: null },
}

const path = `/v1/sol/token/${fixedMint}/verdict`

describe('the verdict route of chain B', () => {
  const { edge, rows, sell } = chainBEdgeOfTests()
  const verdictOf = async (row: Partial<VerdictRow>): Promise<Sold> => {
    rows.verdict = { ...fixedVerdict, ...row }
    return sell<Sold>(path)
  }

  it('shows what was recorded, and every formula', async () => {
    const { safety, scouts, scanner, trader, shadows, lastTrade, method } = await verdictOf({})
    expect(safety).to.deep.equal({
      ...{
        pass: true,
        fails: [],
        asked: 'burst',
        provider: 'provider.example',
        checkedAt: 1_789_999_982_000,
        score: 17,
      },
      ...{ lpLockedShare: null, mintAuthority: null, freezeAuthority: null, topHolderShare: 0.0625 },
    })
    // The scores come from these values:
    // - `flow`: the inflow is 30 of at most 30 SOL, and a quarter of the inflow is bundled.
    // - `curve`: a fifth of the curve was sold in the time window of the burst.
    // - `holders`: the ten largest holders have a share of 0.18, and the limit is 0.6.
    // - `callers`: the win rate is 0.25, and the limit is 0.5.
    expect(scouts.flow).to.equal(0.75)
    expect(scouts.curve).to.be.closeTo(1, 1e-12)
    expect(scouts.holders).to.be.closeTo(0.7, 1e-12)
    expect(scouts.callers).to.equal(0.5)
    expect(scouts.composite).to.be.closeTo(2.95 / 4, 1e-12)
    expect(trader).to.deep.equal({ action: 'enter', conviction: scouts.composite })
    expect(scanner).to.deep.include({ mint: fixedMint, grade: 'B', score: 80, lastCardAt: 1_789_999_900_000 })
    expect(shadows).to.deep.equal([
      {
        ...{ signalAt: 1_789_990_000_000, signal: 'call', ret1: 0.25, ret5: -0.5, ret15: null, ret60: null },
        ...{ mfe: 0.5, mae: -0.75 },
      },
    ])
    expect(lastTrade).to.deep.equal({
      ...{ book: 'explore', mode: 'paper', retPct: -17.5, exit: 'take-profit', closedAt: 1_789_999_990_000 },
    })
    expect(method).to.deep.equal(verdictMethod)
  })

  it('is null where nothing is known, and the trader does not enter', async () => {
    const answer = await verdictOf({
      ...{ safety: null, burst: null, grade: null, callersWin35: null, lastTrade: null, shadows: [] },
    })
    const none = { flow: null, curve: null, holders: null, callers: null, composite: null }
    expect(answer).to.deep.include({ safety: unknown, scouts: none, scanner: null, shadows: [], lastTrade: null })
    expect(answer.trader).to.deep.equal({ action: 'pass', conviction: null })
  })

  it('does not enter where nobody checked the mint, or where the gate fails, whatever the scores', async () => {
    const unchecked = await verdictOf({ safety: null })
    expect(unchecked.safety).to.deep.equal(unknown)
    expect(unchecked.scouts.composite).to.be.at.least(chainBVerdictRules.convictionMin)
    expect(unchecked.trader).to.deep.equal({ action: 'pass', conviction: unchecked.scouts.composite })
    const safety = { ...fixedVerdict.safety, isRugged: true, fails: ['Copycat'] } as NonNullable<VerdictRow['safety']>
    const rugged = await verdictOf({ safety })
    expect(rugged.safety).to.deep.include({ pass: false, fails: ['rugged', 'provider: Copycat'] })
    expect(rugged.trader.action).to.equal('pass')
  })

  it('fails by unlocked liquidity once there is a pool, which the check at the graduation or at a call sees', async () => {
    const checkedAt = (reason: 'burst' | 'call' | 'graduation', hasPool: boolean) =>
      verdictOf({
        safety: { ...fixedVerdict.safety, reason, hasPool, lpLockedShare: 0.5 } as NonNullable<VerdictRow['safety']>,
      })
    const early = await checkedAt('burst', false)
    expect(early.trader.action).to.equal('enter')
    expect(early.safety).to.deep.include({ pass: true, fails: [], asked: 'burst' })
    for (const reason of ['call', 'graduation'] as const) {
      const { safety, trader } = await checkedAt(reason, true)
      expect(safety).to.deep.include({ pass: false, fails: ['lp-unlocked'], asked: reason })
      expect(trader.action).to.equal('pass')
    }
  })

  it('is refused for a mint that nothing was recorded of, and for what is no mint', async () => {
    const response = await edge.get(`/v1/sol/token/${'1'.repeat(32)}/verdict`)
    expect([response.status, (await bodyOf(response)).code]).to.deep.equal([404, 'not_tracked'])
    const wrong = await edge.get('/v1/sol/token/0x12/verdict')
    expect([wrong.status, (await bodyOf(wrong)).code]).to.deep.equal([400, 'bad_address'])
    rows.verdict = null
    expect((await edge.buy(path)).status, 'withdrawn since').to.equal(404)
  })
})
