import { expect } from 'chai'
import fc from 'fast-check'
import { precallFlags } from '../../../schemas/calls/derived.ts'
import { lpClasses } from '../../../schemas/chain-a/derived.ts'
import { type TokenFacts, verdictOf, verdicts } from '../../../schemas/chain-a/verdict.ts'
import { deskExits } from '../../../schemas/desk/derived.ts'
import { calm, minuteMs } from './verdict-cases.ts'

describe('any verdict about a token', () => {
  const facts: fc.Arbitrary<TokenFacts> = fc.record({
    lpClasses: fc.uniqueArray(fc.constantFrom(...lpClasses)),
    insiderShare: fc.double({ min: 0, max: 1, noNaN: true }),
    hasV3PoolsAlone: fc.boolean(),
    isOnCurve: fc.boolean(),
    isRugged: fc.boolean(),
    ageMs: fc.option(fc.integer({ min: 0, max: 90 * minuteMs })),
    precallFlags: fc.uniqueArray(fc.constantFrom(...precallFlags)),
    areBuyersUnknown: fc.boolean(),
    lastExit: fc.option(fc.constantFrom(...deskExits)),
    shadowMae: fc.option(fc.double({ min: -1, max: 0, noNaN: true })),
  })
  /**
   * Generates facts of tokens with little risk. Most tokens from `facts` already have the verdict `avoid`,
   * and that verdict cannot get worse.
   */
  const mild: fc.Arbitrary<TokenFacts> = facts.map((its) => ({
    ...{ ...calm, ageMs: its.ageMs, shadowMae: its.shadowMae && its.shadowMae / 2 },
    ...{ insiderShare: its.insiderShare / 4, lastExit: its.lastExit === 'rug' ? null : its.lastExit },
  }))

  /** The liquidity classes of pools, from the least to the most risky in the verdict. */
  const risks = ['safe', 'empty', 'unknown', 'held'] as const
  /**
   * The reasons for closing a simulated position that matter to the verdict, from the best to the worst. The
   * verdict ignores all other reasons.
   */
  const exits = ['take_profit', 'stop', 'rug'] as const
  const at = <Value>(values: readonly [Value, ...Value[]], index: number): Value =>
    values[Math.min(values.length - 1, index)] ?? values[0]

  /** Makes one fact worse by `by`. */
  const worsenings: Readonly<Record<string, (its: TokenFacts, by: number) => Partial<TokenFacts>>> = {
    'every pool is riskier': (its, by) => ({
      lpClasses: its.lpClasses.map((one) => at(risks, risks.indexOf(one) + by)),
    }),
    'there is another pool': (its, by) => ({ lpClasses: [...its.lpClasses, at(risks, by)] }),
    'insiders hold more': ({ insiderShare }, by) => ({ insiderShare: Math.min(1, insiderShare + by / 10) }),
    'v3 pools alone': () => ({ hasV3PoolsAlone: true }),
    'on the curve': () => ({ isOnCurve: true }),
    'a rug': () => ({ isRugged: true }),
    younger: ({ ageMs }, by) => ({ ageMs: ageMs === null ? null : Math.max(0, ageMs - by * 20 * minuteMs) }),
    'another flag': (its, by) => ({ precallFlags: [...its.precallFlags, at(precallFlags, by - 1)] }),
    'buyers unknown': () => ({ areBuyersUnknown: true }),
    'a worse exit': ({ lastExit }, by) => ({
      lastExit: at(exits, Math.max(0, exits.lastIndexOf(lastExit as 'rug')) + by),
    }),
    'a deeper fall': ({ shadowMae }, by) => ({ shadowMae: Math.max(-1, (shadowMae ?? 0) - by / 4) }),
  }
  const goodness = (its: TokenFacts): number => verdicts.indexOf(verdictOf(its).verdict)

  for (const [name, worsen] of Object.entries(worsenings))
    it(`never gets better when a fact gets worse: ${name}`, () => {
      let worsened = 0
      fc.assert(
        fc.property(fc.oneof(facts, mild), fc.integer({ min: 1, max: 3 }), (its, by) => {
          const after = goodness({ ...its, ...worsen(its, by) })
          expect(after).to.be.at.most(goodness(its))
          if (after < goodness(its)) worsened += 1
        }),
        { numRuns: 500 },
      )
      expect(worsened, 'it matters').to.be.above(0)
    })

  it('does not depend on the order in which pools and flags are told', () => {
    fc.assert(
      fc.property(facts, (its) => {
        const turned = { lpClasses: [...its.lpClasses].reverse(), precallFlags: [...its.precallFlags].reverse() }
        expect(verdictOf({ ...its, ...turned })).to.deep.equal(verdictOf(its))
      }),
    )
  })
})
