import { expect } from 'chai'
import { verdictLevels, verdictOf, verdictRules, verdictRulesInWords } from '../../../schemas/chain-a/verdict.ts'
import { calm, ruleCases } from './verdict-cases.ts'

describe('the verdict about a token', () => {
  it('is ok where no rule matches', () => {
    expect(verdictOf(calm)).to.deep.equal({ verdict: 'ok', reasons: [] })
    expect(verdictOf({ ...calm, lpClasses: [], ageMs: null }).verdict, 'nothing known at all').to.equal('ok')
  })

  it('has a case for every rule', () => {
    expect(ruleCases.map(({ rule, level }) => [rule, level])).to.deep.equal(
      verdictRules.map(({ rule, level }) => [rule, level]),
    )
  })

  for (const { rule, level, fits, fitsNot } of ruleCases)
    it(`is ${level} by ${rule}, up to its bounds`, () => {
      for (const facts of fits) {
        const { verdict, reasons } = verdictOf({ ...calm, ...facts })
        expect(reasons.find((reason) => reason.rule === rule)?.level, JSON.stringify(facts)).to.equal(level)
        expect(verdict, JSON.stringify(facts)).to.equal(level)
      }
      for (const facts of fitsNot)
        expect(
          verdictOf({ ...calm, ...facts }).reasons.map((reason) => reason.rule),
          JSON.stringify(facts),
        ).to.not.include(rule)
    })

  it('gives all reasons, the worst first in the order of the rules, in the words of the rules', () => {
    const { verdict, reasons } = verdictOf({
      ...{ lpClasses: ['empty', 'unknown', 'held'], insiderShare: 0.4, hasV3PoolsAlone: true, isOnCurve: true },
      ...{ isRugged: true, ageMs: 0, precallFlags: ['cluster', 'young', 'run'], areBuyersUnknown: true },
      ...{ lastExit: 'rug', shadowMae: -0.9 },
    })
    expect(verdict).to.equal('avoid')
    expect(reasons).to.deep.equal(verdictRulesInWords.filter(({ rule }) => rule !== 'desk-stop'))
    const levels = verdictRulesInWords.map(({ level }) => verdictLevels.indexOf(level))
    expect(levels, 'no caution before an avoid').to.deep.equal([...levels].sort())
    expect(new Set(verdictRulesInWords.map(({ rule }) => rule)).size).to.equal(verdictRulesInWords.length)
  })

  it('is as bad as the worst rule that matches', () => {
    expect(verdictOf({ ...calm, ageMs: 0, lastExit: 'stop' }).verdict).to.equal('caution')
    expect(verdictOf({ ...calm, ageMs: 0, lastExit: 'rug' }).verdict).to.equal('avoid')
  })

  it('states the limits in its words', () => {
    const textOf = (name: string) => verdictRulesInWords.find(({ rule }) => rule === name)?.text
    expect(textOf('lp-held')).to.include('at least 50%')
    expect(textOf('lp-insider')).to.include('20% to 50%')
    expect(textOf('shadow-crash')).to.include('fell by 80% or more')
    expect(textOf('call-run')).to.include('3 times or more')
    expect(textOf('call-cluster')).to.match(/^5 wallets or more .* in the 10 min/)
    expect(textOf('call-young')).to.include('less than 30 min')
    expect(textOf('young')).to.include('less than 30 min')
  })
})
