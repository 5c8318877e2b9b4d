import { expect } from 'chai'
import fc from 'fast-check'
import {
  chainBVerdictRules,
  type GateFacts,
  gateOf,
  gateRules,
  type ScoutFacts,
  scoutsOf,
  traderOf,
  verdictMethod,
} from '../../../schemas/chain-b/verdict.ts'

const { gate, scouts: scoutLimits, convictionMin } = chainBVerdictRules

const clean: GateFacts = {
  ...{ isRugged: false, mintAuthority: null, freezeAuthority: null, lpLockedShare: null, topHolderShare: null },
  ...{ fails: [], hasPool: false },
}

const burst = {
  ...{ inflowSol: 15, fillFrom: 0.25, fillAt: 0.35 },
  anatomy: { bundledShare: 0.25, holdersTop10: 0.3 },
}
const facts: ScoutFacts = { burst, grade: { score: 80, top10Pct: 0.15 }, callersWin35: 0.1875 }

describe('the gate of a mint', () => {
  it('passes where nothing speaks against it, and where nothing is known of shares', () => {
    expect(gateOf(clean)).to.deep.equal({ pass: true, fails: [] })
    expect(gateOf({ ...clean, isRugged: null })).to.deep.equal({ pass: true, fails: [] })
  })

  it('neither passes nor fails where nobody said anything', () => {
    expect(gateOf(null)).to.deep.equal({ pass: null, fails: [] })
  })

  const cases: readonly (readonly [rule: string, fits: Partial<GateFacts>[], fitsNot: Partial<GateFacts>[]])[] = [
    ['rugged', [{ isRugged: true }], [{ isRugged: null }]],
    ['mint-authority', [{ mintAuthority: 'somebody' }], [{ freezeAuthority: 'somebody' }]],
    ['freeze-authority', [{ freezeAuthority: 'somebody' }], [{ mintAuthority: 'somebody' }]],
    ['top-holder', [{ topHolderShare: 0.3 }, { topHolderShare: 1 }], [{ topHolderShare: 0.2999 }]],
    [
      'lp-unlocked',
      [
        { hasPool: true, lpLockedShare: 0.8999 },
        { hasPool: true, lpLockedShare: 0 },
      ],
      [{ hasPool: true, lpLockedShare: 0.9 }, { hasPool: false, lpLockedShare: 0 }, { hasPool: true }],
    ],
  ]

  it('has a case for every rule', () => {
    expect(cases.map(([rule]) => rule)).to.deep.equal(gateRules.map(({ rule }) => rule))
  })

  for (const [rule, fits, fitsNot] of cases)
    it(`fails by ${rule}, up to its bounds`, () => {
      for (const its of fits)
        expect(gateOf({ ...clean, ...its }), JSON.stringify(its)).to.deep.equal({ pass: false, fails: [rule] })
      for (const its of fitsNot) expect(gateOf({ ...clean, ...its }).fails, JSON.stringify(its)).to.not.include(rule)
    })

  it('fails by each of the provider’s worst findings, behind its own', () => {
    expect(gateOf({ ...clean, isRugged: true, fails: ['Copycat token', 'High ownership'] }).fails).to.deep.equal([
      'rugged',
      'provider: Copycat token',
      'provider: High ownership',
    ])
  })
})

describe('the scouts of a mint', () => {
  it('score burst, curve, holders and callers by hand, and their mean', () => {
    // `flow`: 15 of 30 SOL came in, and a quarter of the inflow was bundled. `curve`: the burst filled 0.1 of
    // the curve, and 0.2 gives the best score. `holders`: the ten largest holders have 0.3 of the supply, and
    // 0.6 gives the worst score. `callers`: the win rate is 0.1875, and 0.5 gives the best score.
    const { composite, ...scouts } = scoutsOf(facts)
    expect(scouts.flow).to.equal(0.375)
    expect(scouts.curve).to.be.closeTo(0.5, 1e-12)
    expect(scouts.holders).to.equal(0.5)
    expect(scouts.callers).to.equal(0.375)
    expect(composite).to.be.closeTo(0.4375, 1e-12)
  })

  it('are null where nothing is known, the composite is of the others', () => {
    const nothing: ScoutFacts = { burst: null, grade: null, callersWin35: null }
    expect(scoutsOf(nothing)).to.deep.equal({ flow: null, curve: null, holders: null, callers: null, composite: null })
    const early = scoutsOf({ ...nothing, burst: { ...burst, anatomy: null } })
    expect(early).to.include({ flow: null, holders: null, callers: null })
    expect(early.composite).to.equal(early.curve)
    expect(scoutsOf({ ...nothing, callersWin35: 0.25 })).to.include({ callers: 0.5, composite: 0.5 })
  })

  it('take the most cautious reading of the holders', () => {
    const holdersOf = (top10: number | null, grade: ScoutFacts['grade']) =>
      scoutsOf({ ...facts, burst: { ...burst, anatomy: { bundledShare: 0, holdersTop10: top10 } }, grade }).holders
    expect(holdersOf(0.3, { score: 40, top10Pct: 0.15 }), 'the score').to.equal(0.4)
    expect(holdersOf(0.15, { score: 100, top10Pct: 0.45 }), 'the card').to.equal(0.25)
    expect(holdersOf(null, { score: 90, top10Pct: null })).to.equal(0.9)
    expect(holdersOf(0.15, null)).to.equal(0.75)
    expect(holdersOf(null, null)).to.equal(null)
    expect(holdersOf(0.9, null), 'never below zero').to.equal(0)
  })

  it('end at 0 and at 1', () => {
    const rich = { inflowSol: 300, fillFrom: 0.1, fillAt: 0.55, anatomy: { bundledShare: 0, holdersTop10: 0 } }
    expect(scoutsOf({ burst: rich, grade: null, callersWin35: 1 })).to.deep.equal({
      ...{ flow: 1, curve: 1, holders: 1, callers: 1, composite: 1 },
    })
    const poor = { inflowSol: 0, fillFrom: 0.5, fillAt: 0.4, anatomy: { bundledShare: 1, holdersTop10: 1 } }
    expect(scoutsOf({ burst: poor, grade: null, callersWin35: 0 })).to.deep.equal({
      ...{ flow: 0, curve: 0, holders: 0, callers: 0, composite: 0 },
    })
  })
})

describe('the trader', () => {
  it('enters where the gate passes and the composite is at least its limit', () => {
    expect(traderOf({ pass: true }, { composite: convictionMin })).to.deep.equal({ action: 'enter', conviction: 0.6 })
    expect(traderOf({ pass: true }, { composite: 0.5999 })).to.deep.equal({ action: 'pass', conviction: 0.5999 })
    expect(traderOf({ pass: false }, { composite: 1 })).to.deep.equal({ action: 'pass', conviction: 1 })
  })

  it('passes where nobody checked the mint, or nothing is known of it', () => {
    expect(traderOf({ pass: null }, { composite: 1 })).to.deep.equal({ action: 'pass', conviction: 1 })
    expect(traderOf({ pass: true }, { composite: null })).to.deep.equal({ action: 'pass', conviction: null })
  })

  it('never enters because a fact got worse', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    const somebody = fc.constant('somebody')
    const nobody = fc.constant(null)
    const authority = fc.oneof({ arbitrary: nobody, weight: 9 }, { arbitrary: somebody, weight: 1 })
    const gate: fc.Arbitrary<GateFacts> = fc.record({
      isRugged: fc.oneof(
        { arbitrary: fc.constantFrom(false, null), weight: 9 },
        { arbitrary: fc.constant(true), weight: 1 },
      ),
      mintAuthority: authority,
      freezeAuthority: authority,
      lpLockedShare: fc.option(share),
      topHolderShare: fc.option(share.map((value) => value / 2)),
      fails: fc.array(fc.constantFrom('a', 'b'), { maxLength: 1 }),
      hasPool: fc.boolean(),
    })
    const known = fc.record({
      inflowSol: fc.double({ min: 20, max: 60, noNaN: true }),
      gain: share.map((value) => value / 2),
      bundledShare: share.map((value) => value / 3),
      top10: share.map((value) => value / 3),
      score: fc.double({ min: 40, max: 100, noNaN: true }),
      win35: share,
    })
    type Known = typeof known extends fc.Arbitrary<infer Value> ? Value : never
    const scoutFactsOf = ({ inflowSol, gain, bundledShare, top10, score, win35 }: Known): ScoutFacts => ({
      burst: { inflowSol, fillFrom: 0, fillAt: gain, anatomy: { bundledShare, holdersTop10: top10 } },
      ...{ grade: { score, top10Pct: top10 }, callersWin35: win35 },
    })
    const worseGate: readonly ((its: GateFacts) => Partial<GateFacts>)[] = [
      () => ({ isRugged: true }),
      () => ({ mintAuthority: 'somebody' }),
      () => ({ freezeAuthority: 'somebody' }),
      ({ lpLockedShare }) => ({ lpLockedShare: (lpLockedShare ?? 1) / 2 }),
      ({ topHolderShare }) => ({ topHolderShare: Math.min(1, (topHolderShare ?? 0) + 0.2) }),
      ({ fails }) => ({ fails: [...fails, 'c'] }),
    ]
    const worseScouts: readonly ((its: Known) => Partial<Known>)[] = [
      ({ inflowSol }) => ({ inflowSol: inflowSol / 2 }),
      ({ gain }) => ({ gain: gain / 2 }),
      ({ bundledShare }) => ({ bundledShare: Math.min(1, bundledShare + 0.1) }),
      ({ top10 }) => ({ top10: Math.min(1, top10 + 0.1) }),
      ({ score }) => ({ score: score / 2 }),
      ({ win35 }) => ({ win35: win35 / 2 }),
    ]
    const isEntered = (its: GateFacts, seen: Known) =>
      traderOf(gateOf(its), scoutsOf(scoutFactsOf(seen))).action === 'enter'
    let enteredCount = 0
    fc.assert(
      fc.property(gate, known, fc.nat(5), (its, seen, index) => {
        const before = isEntered(its, seen)
        if (before) enteredCount += 1
        if (!before) expect(isEntered({ ...its, ...worseGate[index]?.(its) }, seen)).to.equal(false)
        if (!before) expect(isEntered(its, { ...seen, ...worseScouts[index]?.(seen) })).to.equal(false)
      }),
      { numRuns: 3000 },
    )
    expect(enteredCount, 'some do enter').to.be.above(10)
  })
})

describe('the method of a verdict', () => {
  it('states every limit and every rule', () => {
    const { safety, flow, curve, holders, callers, trader } = verdictMethod
    for (const { rule, text } of gateRules) expect(safety).to.include(`${rule} (${text})`)
    for (const limit of Object.values(gate)) expect(safety).to.include(` ${limit} of the `)
    expect(flow).to.include(`/ ${scoutLimits.inflowSol})`)
    expect(curve).to.include(`/ ${scoutLimits.fillGain})`)
    expect(holders).to.include(`/ ${scoutLimits.top10Share},`)
    expect(callers).to.include(`/ ${scoutLimits.win35})`).and.include('(calls + 10)').and.include('last 7 days')
    expect(callers).to.include('m > 3 tokens')
    expect(trader).to.include(`composite >= ${convictionMin}`)
  })
})
