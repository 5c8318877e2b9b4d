import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { chainANumbers } from '../../../schemas/chain-a/numbers.ts'
import { chainARules } from '../../../schemas/chain-a/rules.ts'
import { tiersWithLiquidity, tiersWithSenders } from '../../../schemas/chain-a/tier-traits.ts'
import { either } from '../../../schemas/rule-words.ts'

const { bursts, outcomes, liquidity, curves } = chainANumbers
const { windowMs, recentMs } = bursts

const seconds = (ms: number) => ms / 1000
const minutes = (ms: number) => ms / 60_000
const hours = (ms: number) => ms / 3_600_000

const over = ({ inflowEthMin, buysMin }: typeof bursts.main) =>
  `Net inflow >= ${inflowEthMin} ETH and >= ${buysMin} buy swaps within ${seconds(windowMs)} s,`
const young = `pool age ${minutes(bursts.youngMsMin)} min to ${hours(bursts.youngMsMax)} h`

const source = readFileSync(new URL('../../../schemas/chain-a/rules.ts', import.meta.url), 'utf8')
/** The text of the file, with the line breaks of its comments removed. */
const words = source.replaceAll(/\n \*/g, '').replaceAll(/\s+/g, ' ')

describe('the rules in words', () => {
  const said: readonly [keyof typeof chainARules, string][] = [
    ['main', over(bursts.main)],
    ['main', `s, still buying (a buy and positive net inflow in the last ${seconds(recentMs)} s)`],
    ['main', young],
    ['lite', over(bursts.lite)],
    ['lite', young],
    ['refire', `at least ${minutes(bursts.refireMs)} min after`],
    ['refire', 'after its last main, refire or old burst,'],
    ['refire', `pool age up to ${hours(bursts.oldMsMax)} h`],
    ['old', `more than ${hours(bursts.youngMsMax)} h and up to ${hours(bursts.oldMsMax)} h old`],
    ['outcome', `Scored ${minutes(outcomes.lengthMs)} min after the signal`],
    ['outcome', `price / signal price - 1 - ${outcomes.costRatio}`],
    ['outcome', `a stop at -${Math.round((1 - outcomes.stopRatio) * 100)}% of the signal price`],
    [
      'outcome',
      `A rug is at least ${Math.round((1 - outcomes.rugLeftRatioMax) * 100)}% of the liquidity at the signal removed`,
    ],
    ['outcome', `score -1 - ${outcomes.costRatio}`],
    ['outcome', `is ${outcomes.exits[0]?.fadeEth} below its high-water mark`],
    ['outcome', `once ${seconds(outcomes.exits[0]?.stallMs ?? 0)} s have passed without a price above`],
  ]
  for (const [rule, phrase] of said) it(`${rule}: ${phrase}`, () => expect(chainARules[rule]).to.include(phrase))

  it('name the tiers whose senders are asked for, and those with the liquidity', () => {
    expect(words).to.include(`A ${either(tiersWithSenders)} burst asks for the senders`)
    expect(words).to.include(`V4 ${tiersWithLiquidity.join(' and ')} bursts have the liquidity`)
  })

  it('say when the liquidity is shown and asked for', () => {
    expect(words).to.include(`signal + ${seconds(liquidity.delayMs)} s. With NFTs`)
    expect(words).to.include(`the owners of the ${liquidity.askedPositionsMax} with most L`)
    expect(words).to.include(
      `under ${hours(liquidity.checkedMsMax)} h old, at every ${minutes(liquidity.checkEveryMs)} min of its age`,
    )
  })

  it('say how curves are published and when they end', () => {
    expect(words).to.include(`median of its last ${curves.feeBuysMax} buys`)
    expect(words).to.include(`${hours(curves.lifeMs) / 24} days after its newest fact`)
  })

  it('name the exit rules in the order that outcomes list them', () => {
    const named = [...source.matchAll(/^ {1,2}\*\s{3}([a-z]+(?:-\w+)*) {2,}/gm)].map(([, name]) => name)
    expect(named).to.deep.equal(outcomes.exits.map(({ name }) => name))
  })
})
