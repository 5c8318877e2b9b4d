import { expect } from 'chai'
import { createFrontPart } from '../../../api/chain-b/front-part.ts'
import { minuteMs } from '../../../schemas/units.ts'
import {
  chainBCut,
  createFixedChainBQueries,
  fixedBurst,
  fixedCurve,
  fixedGraduation,
  fixedMint,
  fixedRows,
} from '../../support/chain-b/fixed-queries.ts'

const nowMs = chainBCut.blockAtMs
const missing = { trades: 1, volume: 2, knownAtMs: nowMs }

describe('chain B on the front page', () => {
  const { rows, queries } = createFixedChainBQueries()
  const presentation = { chainName: 'chainB', ruleIdSecret: 'a', callerIdSecret: 'b' }
  const part = createFrontPart({ queries, presentation })
  const burst = (mint: string, changes: object = {}) => ({
    ...{ ...fixedBurst, mint, atMs: nowMs - minuteMs, launchAtMs: nowMs - 10 * minuteMs, outcome: null },
    ...changes,
  })
  const curve = (mint: string, changes: object = {}) => ({ ...fixedCurve, mint, ...changes })
  const graduation = (mint: string, changes: object = {}) => ({ ...fixedGraduation, mint, ...changes })
  const columns = async () => {
    const [fresh, near, graduated] = (await part.answer(chainBCut)).columns
    return { fresh: fresh!.tokens, near: near!.tokens, graduated: graduated!.tokens }
  }
  const namesOf = (tokens: readonly Readonly<{ token: string }>[]) => tokens.map(({ token }) => token)

  beforeEach(() => {
    rows.bursts = []
    rows.graduations = []
    rows.newCurves = []
    rows.fullestCurves = []
  })

  it('lists new curves, the fullest curves and graduated tokens, six in a column', async () => {
    rows.newCurves = [...'abcdefgh'].map((mint) => curve(mint))
    rows.fullestCurves = [...'ijklmnop'].map((mint) => curve(mint))
    rows.graduations = [...'qrstuvwx'].map((mint) => graduation(mint))
    const { fresh, near, graduated } = await columns()
    expect([fresh, near, graduated].map(namesOf)).to.deep.equal([[...'abcdef'], [...'ijklmn'], [...'qrstuv']])
  })

  it('says the launch of a new curve, and of a full one the fill and its time', async () => {
    rows.newCurves = [curve('a', { last: null, buys60m: 0, sells60m: 0 })]
    rows.fullestCurves = [curve('b')]
    const { fresh, near } = await columns()
    expect(fresh).to.deep.equal([
      { token: 'a', atMs: fixedCurve.launchAtMs, facts: ['TEST, Test', '0 buys, 0 sells in an hour'], fill: null },
    ])
    expect(near[0]).to.deep.include({
      ...{ atMs: fixedCurve.last.minuteAtMs, facts: ['TEST, Test', '14 buys, 3 sells in an hour'] },
      fill: { share: 0.45, atMs: fixedCurve.last.minuteAtMs },
    })
  })

  for (const [what, changes, facts] of [
    ['no name', { name: null, symbol: null }, []],
    ['an empty name', { name: ' ', symbol: 'S' }, ['S']],
    ['a name of any length', { name: '🚀'.repeat(50), symbol: null }, ['🚀'.repeat(40)]],
  ] as const)
    it(`shows of a token with ${what} what there is`, async () => {
      rows.newCurves = [curve('a', changes)]
      expect((await columns()).fresh[0]?.facts).to.deep.equal([...facts, '14 buys, 3 sells in an hour'])
    })

  it('says that trades are missing', async () => {
    rows.newCurves = [curve('a', { gaps: missing })]
    expect((await columns()).fresh[0]?.facts.at(-1)).to.equal('trades are missing')
  })

  it('has the prices of a token, on its curve and in its pool', async () => {
    const prices = await part.pricesOf(chainBCut, fixedMint)
    expect(prices).to.deep.equal({
      ...{ name: 'TEST, Test', market: 'The curve, and its pool from the graduation on.', poolFromMs: null },
      points: [
        { minuteAtMs: 1_789_999_860_000, px: 4e-14 },
        { minuteAtMs: 1_789_999_920_000, px: 5e-14 },
      ],
      areTradesMissing: false,
    })
    const inPool = { minuteAtMs: 1_789_999_920_000, lastPx: 6e-14, fill: null }
    rows.minutes = { ...fixedRows.minutes!, minutes: [fixedRows.minutes!.minutes[0]!, inPool], gaps: missing }
    expect(await part.pricesOf(chainBCut, fixedMint)).to.deep.include({
      ...{ poolFromMs: inPool.minuteAtMs, areTradesMissing: true },
    })
    rows.minutes = { ...fixedRows.minutes!, minutes: [inPool, { ...inPool, minuteAtMs: inPool.minuteAtMs + 60_000 }] }
    expect(await part.pricesOf(chainBCut, fixedMint), 'in the pool before the line').to.include({ poolFromMs: null })
    rows.minutes = { ...fixedRows.minutes!, minutes: [] }
    expect(await part.pricesOf(chainBCut, fixedMint)).to.equal(null)
    expect(await part.pricesOf(chainBCut, 'other')).to.equal(null)
  })

  for (const [what, changes, facts] of [
    ['15 minutes', { post: { anchorAtMs: 1, ret1: 0.1, ret5: 0.2, ret15: -0.3 } }, ['-30 % after 15 min in the pool']],
    ['5 minutes', { post: { anchorAtMs: 1, ret1: 0.1, ret5: 0.2, ret15: null } }, ['+20 % after 5 min in the pool']],
    ['one minute', { post: { anchorAtMs: 1, ret1: 0, ret5: null, ret15: null } }, ['+0 % after 1 min in the pool']],
    ['less than a minute', { post: { anchorAtMs: 1, ret1: null, ret5: null, ret15: null } }, []],
    ['no pool yet', { post: null }, ['its pool is not open yet']],
    ['missing trades', { post: null, gaps: missing }, ['its pool is not open yet', 'trades are missing']],
  ] as const)
    it(`says how a graduated token went: ${what}`, async () => {
      rows.graduations = [graduation('a', changes)]
      expect((await columns()).graduated[0]?.facts).to.deep.equal(['after 45 min on the curve', ...facts])
    })

  it('says if the launch of a graduated token is not known', async () => {
    rows.graduations = [graduation('a', { gradMin: null, post: null })]
    expect((await columns()).graduated[0]?.facts[0]).to.equal('launched before the log')
  })

  it('has the return at the graduation, or after 20 minutes, or none yet', async () => {
    const outcome = fixedBurst.outcome
    rows.bursts = [
      burst('a', { outcome: { ...outcome, completedAtMs: nowMs, gradRet: 2, ret20m: null } }),
      burst('b', { outcome: { ...outcome, gradRet: null, ret20m: -0.5 } }),
      burst('c'),
    ]
    const { bursts } = await part.answer(chainBCut)
    expect(bursts.map(({ ret, isPulled }) => [ret, isPulled])).to.deep.equal([
      [2, false],
      [-0.5, false],
      [null, false],
    ])
    expect(bursts[0]?.text).to.equal('+12.50 SOL in 60 s, curve 45 % full, token 9 min old')
  })
})
