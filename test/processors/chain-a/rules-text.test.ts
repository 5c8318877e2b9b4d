import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { ages, refireMs, thresholds } from '../../../processors/chain-a/bursts/burst.ts'
import { recentMs, windowMs } from '../../../processors/chain-a/bursts/window.ts'
import { feeBuyCountMax } from '../../../processors/chain-a/curves/curve.ts'
import { askedCountMax, lpDelayMs } from '../../../processors/chain-a/liquidity/burst-lp.ts'
import { checkEveryMs, checkedAgeMsMax } from '../../../processors/chain-a/liquidity/checks.ts'
import { exitRules, fadeWei, stallMs, stopRatio } from '../../../processors/chain-a/outcomes/exit-rules.ts'
import { costs, outcomeMs, rugRatioMax } from '../../../processors/chain-a/outcomes/outcome.ts'
import { curveLifeMs } from '../../../schemas/chain-a/curve-life.ts'
import { chainARules } from '../../../schemas/chain-a/rules.ts'

const eth = (wei: bigint) => Number(wei) / 1e18
const seconds = (ms: number) => ms / 1000
const minutes = (ms: number) => ms / 60_000
const hours = (ms: number) => ms / 3_600_000

const over = ({ netWei, buys }: (typeof thresholds)[keyof typeof thresholds]) =>
  `Net inflow >= ${eth(netWei)} ETH and >= ${buys} buy swaps within ${seconds(windowMs)} s,`
const young = `pool age ${minutes(ages.youngMsMin)} min to ${hours(ages.youngMsMax)} h`

const source = readFileSync(new URL('../../../schemas/chain-a/rules.ts', import.meta.url), 'utf8')
/** Of the comment too, its line breaks taken out. */
const words = source.replaceAll(/\n \*/g, '').replaceAll(/\s+/g, ' ')

describe('the rules in words', () => {
  const said: readonly [keyof typeof chainARules, string][] = [
    ['main', over(thresholds.main)],
    ['main', `s, still buying (a buy and positive net inflow in the last ${seconds(recentMs)} s)`],
    ['main', young],
    ['lite', over(thresholds.lite)],
    ['lite', young],
    ['refire', `at least ${minutes(refireMs)} min after`],
    ['refire', `pool age up to ${hours(ages.oldMsMax)} h`],
    ['old', `more than ${hours(ages.youngMsMax)} h and up to ${hours(ages.oldMsMax)} h old`],
    ['outcome', `Scored ${minutes(outcomeMs)} min after the signal`],
    ['outcome', `price / signal price - 1 - ${costs}`],
    ['outcome', `a stop at -${Math.round((1 - stopRatio) * 100)}% of the signal price`],
    ['outcome', `A rug is at least ${Math.round((1 - rugRatioMax) * 100)}% of the liquidity at the signal removed`],
    ['outcome', `score -1 - ${costs}`],
    ['outcome', `is ${eth(fadeWei)} below its high-water mark`],
    ['outcome', `once ${seconds(stallMs)} s have passed without a price above`],
  ]
  for (const [rule, phrase] of said) it(`${rule}: ${phrase}`, () => expect(chainARules[rule]).to.include(phrase))

  it('say when the liquidity is shown and asked for', () => {
    expect(words).to.include(`signal + ${seconds(lpDelayMs)} s. With NFTs`)
    expect(words).to.include(`the owners of the ${askedCountMax} with most L`)
    expect(words).to.include(`under ${hours(checkedAgeMsMax)} h old, at every ${minutes(checkEveryMs)} min of its age`)
  })

  it('say how curves are published and when they end', () => {
    expect(words).to.include(`median of its last ${feeBuyCountMax} buys`)
    expect(words).to.include(`${hours(curveLifeMs) / 24} days after its newest fact`)
  })

  it('name the exit rules in the order that outcomes list them', () => {
    const named = [...source.matchAll(/^ {1,2}\*\s{3}([a-z]+(?:-\w+)*) {2,}/gm)].map(([, name]) => name)
    expect(named).to.deep.equal(exitRules.map(({ name }) => name))
  })
})
