/** Where each number of the rules is counted again by brute force with another value, and where it is held otherwise. */
import { existsSync } from 'node:fs'
import { expect } from 'chai'
import { rulesOfQueries } from '../../schemas/rules.ts'
import { ruleLeaves } from '../support/rules/rule-leaves.ts'

/** Of every path one value that is not the default. A recount that ignored it would be seen. */
const recounted: readonly (readonly [paths: RegExp, test: string])[] = [
  [/^chainA\.bursts\./, 'test/oracle/bent-rules.test.ts'],
  [/^chainA\.outcomes\.(lengthMs|costRatio|stopRatio|exits\.)/, 'test/oracle/bent-rules.test.ts'],
  [/^chainA\.liquidity\.(held|safe)BpsMin$/, 'test/processors/chain-a/liquidity/ownership-property.test.ts'],
  [/^chainA\.desk\./, 'test/processors/chain-a/desk/recount.test.ts'],
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
  [/^calls\.grades\.(bands|rules)\./, 'test/processors/calls/grades/bent-grades.test.ts'],
]

/** Only when something is said or forgotten, or how much is asked: `bent-rules.test.ts` of the processors sees each change. */
const otherwise: readonly RegExp[] = [
  /^chainA\.(pools|curves|buyers)\./,
  /^chainA\.liquidity\.(delayMs|askedPositionsMax|checkEveryMs|checkedMsMax)$/,
  // Of rugs, on a real node: `test/end-to-end/liquidity.int.test.ts`.
  /^chainA\.outcomes\.rugLeftRatioMax$/,
  // The lanes of chain B are run by the desk of chain A.
  /^chainB\.desk\./,
  /^calls\.(askedSampleMs|anchorLimitMs|sendersAskedMax|grades\.cardMs)$/,
]

const isOfQueries = (path: string): boolean => rulesOfQueries.some((of) => path === of || path.startsWith(`${of}.`))

describe('the numbers of the rules', () => {
  it('are each counted again, or held otherwise, or of queries', () => {
    const patterns = [...recounted.map(([paths]) => paths), ...otherwise]
    const waysOf = (path: string) =>
      patterns.filter((pattern) => pattern.test(path)).length + (isOfQueries(path) ? 1 : 0)
    const wrong = ruleLeaves.map(({ path }) => `${path}: ${waysOf(path)}`).filter((line) => !line.endsWith(': 1'))
    expect(wrong).to.deep.equal([])
    expect(patterns.filter((pattern) => !ruleLeaves.some(({ path }) => pattern.test(path)))).to.deep.equal([])
  })

  it('are counted again in tests that are there', () =>
    expect(recounted.filter(([, test]) => !existsSync(test))).to.deep.equal([]))

  it('are counted again for the most part', () => {
    const isRecounted = (path: string) => recounted.some(([paths]) => paths.test(path))
    expect(ruleLeaves.filter(({ path }) => isRecounted(path)).length).to.be.above(190)
  })
})
