import { expect } from 'chai'
import { chainARules, chainAWordsOf } from '../../schemas/chain-a/rules.ts'
import { chainBRule, chainBRuleOf, copyRule, copyRuleOf } from '../../schemas/chain-b/rules.ts'
import { defaultRules, type Rules } from '../../schemas/rules.ts'
import { bends, ruleLeaves } from '../support/rules/rule-leaves.ts'

const sentencesOf = ({ chainA, chainB }: Rules): string =>
  [...Object.values(chainAWordsOf(chainA)), chainBRuleOf(chainB), copyRuleOf(chainB)].join('\n')

/**
 * Patterns for the paths of rule values that no sentence in an answer mentions. These values are explained in
 * comments of `rules.ts`.
 */
const unsaid = [
  /^chainA\.(pools|curves|buyers|liquidity|desk)\./,
  /^chainB\.(anatomy|graduations|desk)\./,
  /^chainB\.mints\.curveLifeMs$/,
  /^chainB\.shadow\.(windowMs|pathSec)/,
  /^chainA\.bursts\.(scriptedBuysMin|spreadTop3BpsMax)$/,
  /outcomes\.exits\.[1-9]/,
]

describe('the sentences of answers', () => {
  it('of the default are those that answers show', () =>
    expect(sentencesOf(defaultRules)).to.equal([...Object.values(chainARules), chainBRule, copyRule].join('\n')))

  for (const leaf of ruleLeaves) {
    const { path } = leaf
    if (!/^chain[AB]\./.test(path) || unsaid.some((pattern) => pattern.test(path))) continue
    it(`change with ${path}`, () => {
      for (const rules of bends(leaf)) expect(sentencesOf(rules)).to.not.equal(sentencesOf(defaultRules))
    })
  }
})
