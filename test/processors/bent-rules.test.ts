import { expect } from 'chai'
import { defaultRules, isRuleOfQueries, stageRules } from '../../schemas/rules.ts'
import { bend, bendAll, bends, type RuleLeaf, ruleLeaves } from '../support/rules/rule-leaves.ts'
import { ruleScenes } from '../support/rules/rule-scenes.ts'

/** The rules whose number this test does not change alone, with the reason. */
const fixed: Readonly<Record<string, string>> = {
  'chainB.shadow.windowMs': 'the last mark of the path stands at its end: the two change together',
  'chainB.shadow.pathSec.11': 'the last mark of the path stands at the end of the window',
  'calls.askedMarksMin.0': 'the instant of ret1',
  'calls.askedMarksMin.1': 'the instant of ret5',
  'calls.askedMarksMin.3': 'the instant of ret15',
  'calls.askedMarksMin.12': 'the instant of ret60',
  'calls.grades.bands.4.minScore': 'the last grade has no score to reach',
}

const ofQueries = ruleLeaves.map(({ path }) => path).filter(isRuleOfQueries)

/** The test case that noticed the last rule comes first, because it often notices the next rule too. */
const scenes = [...ruleScenes]

/** Returns whether a small test case gives another result with one of the other values. */
function isShown(leaf: RuleLeaf): boolean {
  const others = bends(leaf)
  const shown = scenes.findIndex((scene) => {
    const parts: readonly unknown[] = stageRules[scene.stage].parts
    return parts.includes(leaf.steps[0]) && others.some(scene.isOther)
  })
  if (shown >= 0) scenes.unshift(...scenes.splice(shown, 1))
  return shown >= 0
}

describe('every rule that has a number', () => {
  it('has bounds, with the default within them', () => {
    expect(ruleLeaves.length).to.be.greaterThan(250)
    expect(ruleLeaves.filter(({ value, min, max }) => !(min <= value && value <= max))).to.deep.equal([])
  })

  it('is refused beyond its bounds', () => {
    const accepted = ruleLeaves.filter((leaf) => bend(leaf, leaf.min - 1) !== null || bend(leaf, leaf.max + 1) !== null)
    expect(accepted.map(({ path }) => path)).to.deep.equal([])
  })

  it('can have another value, but for those that others decide', () => {
    const unbent = ruleLeaves.filter((leaf) => bends(leaf).length === 0).map(({ path }) => path)
    expect(unbent).to.have.members(Object.keys(fixed))
  })

  for (const leaf of ruleLeaves)
    if (!(leaf.path in fixed) && !ofQueries.includes(leaf.path))
      it(`changes what is derived: ${leaf.path}`, () => expect(isShown(leaf)).to.equal(true))

  it('of queries is there: of each of their lists, rates and verdicts', () => {
    expect(ofQueries).to.include.members(['calls.buyersAfterMs', 'calls.hits.hitRet', 'calls.hits.doubleRet'])
    expect(ofQueries).to.include.members(['calls.hits.rugRet', 'desk.twinsMax', 'desk.twinWithinMs'])
    expect(ofQueries).to.include.members(['leaders.listMax', 'callers.kMin', 'verdicts.chainB.convictionMin'])
  })

  it('of queries changes nothing that is derived', () => {
    const leaves = ruleLeaves.filter(({ path }) => ofQueries.includes(path))
    for (const turn of [0, 1, 2, 3, 4]) {
      const rules = bendAll(leaves, turn)
      const shown = ruleScenes.filter((scene) => scene.isOther(rules))
      expect(shown, `the values in turn ${turn}`).to.deep.equal([])
    }
  })

  it('of the window of copies changes with the last mark of their path', () => {
    const { chainB } = defaultRules
    const pathSec = [...chainB.shadow.pathSec.slice(0, -1), 3500]
    const rules = { ...defaultRules, chainB: { ...chainB, shadow: { ...chainB.shadow, windowMs: 3_500_000, pathSec } } }
    expect(ruleScenes.some((scene) => scene.isOther(rules))).to.equal(true)
  })
})
