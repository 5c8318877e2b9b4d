/**
 * Lists the numbers of the rules. For most numbers, a test sets another value and computes the expected
 * result with independent code. The other numbers are checked in another way.
 */
import { existsSync } from 'node:fs'
import { expect } from 'chai'
import { isRuleOfQueries } from '../../schemas/rules.ts'
import { ruleLeaves } from '../support/rules/rule-leaves.ts'

/**
 * The test for the numbers under each path. The test uses a value that is not the default, so independent
 * code that ignores the number would fail.
 */
const recounted: readonly (readonly [paths: RegExp, test: string])[] = [
  [/^chainA\.bursts\./, 'test/oracle/bent-rules.test.ts'],
  [/^chainA\.outcomes\.(lengthMs|costRatio|stopRatio|exits\.)/, 'test/oracle/bent-rules.test.ts'],
  [/^chainA\.liquidity\.(held|safe)BpsMin$/, 'test/processors/chain-a/liquidity/ownership-property.test.ts'],
  [/^chainA\.desk\./, 'test/processors/chain-a/desk/recount.test.ts'],
  [/^chainB\.desk\.(?!lanes\.(2\.|0\.twins))/, 'test/processors/chain-a/desk/recount.test.ts'],
  [/^desk\.(?!twinsMax|twinWithinMs)/, 'test/processors/chain-a/desk/recount.test.ts'],
  [/^chainB\.(bursts|anatomy|outcomes|graduations|mints)\./, 'test/oracle/chain-b/bent-rules.test.ts'],
  [/^chainB\.(shadow|copy)\./, 'test/processors/chain-b/copies/recount.test.ts'],
  [/^calls\.(sampleEveryMs|watchMs|askedAnchorMs|anchorDelayMs)$/, 'test/processors/chain-a/calls/oracle.test.ts'],
  [
    /^calls\.(rugLeftRatioMax|askedMarkMs|scoreMs|hits\.(winRet|lossRet))$/,
    'test/processors/chain-a/calls/oracle.test.ts',
  ],
  [
    /^calls\.(precallMs|runMs|runRatioMin|youngMs|clusterWallets|walletListMax)$/,
    'test/processors/chain-a/calls/oracle.test.ts',
  ],
  [
    /^calls\.(deadAfterMs|deadSampleEveryMs|askedMarksMin\.\d+|askedScoresMax)$/,
    'test/processors/chain-b/calls/watches.test.ts',
  ],
  [/^chainA\.(pools|curves|buyers)\./, 'test/oracle/bent-times.test.ts'],
  [/^chainA\.liquidity\.(delayMs|askedPositionsMax|checkEveryMs|checkedMsMax)$/, 'test/oracle/bent-times.test.ts'],
  [/^chainA\.outcomes\.rugLeftRatioMax$/, 'test/oracle/bent-times.test.ts'],
  [/^calls\.(askedSampleMs|anchorLimitMs|sendersAskedMax|grades\.cardMs)$/, 'test/oracle/bent-times.test.ts'],
  [/^calls\.grades\.(bands|rules)\./, 'test/processors/calls/grades/bent-grades.test.ts'],
]

/**
 * These strategies and comparison positions exist only for curves. The recount covers the same numbers in
 * other strategies. `bent-rules.test.ts` of the processors checks that each of these numbers changes the
 * output.
 */
const otherwise: readonly RegExp[] = [/^chainB\.desk\.lanes\.(2\.|0\.twins)/]

describe('the numbers of the rules', () => {
  it('are each counted again, or held otherwise, or of queries', () => {
    const patterns = [...recounted.map(([paths]) => paths), ...otherwise]
    const waysOf = (path: string) =>
      patterns.filter((pattern) => pattern.test(path)).length + (isRuleOfQueries(path) ? 1 : 0)
    const wrong = ruleLeaves.map(({ path }) => `${path}: ${waysOf(path)}`).filter((line) => !line.endsWith(': 1'))
    expect(wrong).to.deep.equal([])
    expect(patterns.filter((pattern) => !ruleLeaves.some(({ path }) => pattern.test(path)))).to.deep.equal([])
  })

  it('are counted again in tests that are there', () =>
    expect(recounted.filter(([, test]) => !existsSync(test))).to.deep.equal([]))

  it('are counted again for the most part', () => {
    const isRecounted = (path: string) => recounted.some(([paths]) => paths.test(path))
    expect(ruleLeaves.filter(({ path }) => isRecounted(path)).length).to.be.above(230)
  })
})
