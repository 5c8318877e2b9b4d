import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { anatomyDelayMs } from '../../../processors/chain-b/anatomy/question.ts'
import { burstLimits } from '../../../processors/chain-b/bursts/burst.ts'
import { recentMs, windowMs } from '../../../processors/chain-b/bursts/window.ts'
import { pathMinutesMax } from '../../../processors/chain-b/graduations/path.ts'
import { postMs } from '../../../processors/chain-b/graduations/post.ts'
import {
  exitRules,
  fadeLamports,
  stallMs,
  stopRatio,
  trailRatio,
} from '../../../processors/chain-b/outcomes/exit-rules.ts'
import { outcomeMs } from '../../../processors/chain-b/outcomes/outcome.ts'
import { costs } from '../../../processors/chain-b/outcomes/path.ts'
import { copyRules, shadowRules } from '../../../schemas/chain-b/copy-rules.ts'
import { forSaleRaw } from '../../../schemas/chain-b/curve.ts'
import { graduatedLifeMs } from '../../../schemas/chain-b/mint-life.ts'
import { chainBRule, copyRule } from '../../../schemas/chain-b/rules.ts'

const sol = (lamports: number) => lamports / 1e9
const seconds = (ms: number) => ms / 1000
const minutes = (ms: number) => ms / 60_000
const hours = (ms: number) => ms / 3_600_000
const percent = (soldRaw: number) => (soldRaw * 100) / Number(forSaleRaw)

const source = readFileSync(new URL('../../../schemas/chain-b/rules.ts', import.meta.url), 'utf8')
/** The comment, its line breaks taken out. */
const words = source.replaceAll(/\n \*/g, '').replaceAll(/\s+/g, ' ')

const { inflowLamportsMin, ageMsMin, ageMsMax, soldRawMin, soldRawMax } = burstLimits

describe('the rule of chain B in words', () => {
  const shown = [
    `net inflow >= ${sol(inflowLamportsMin)} SOL into one bonding curve within ${seconds(windowMs)} s`,
    `token ${minutes(ageMsMin)} min to ${hours(ageMsMax)} h old`,
    `curve ${percent(soldRawMin)}-${percent(soldRawMax)}% full`,
    `in the last ${seconds(recentMs)} s`,
    `or ${minutes(outcomeMs)} min after the signal`,
    `price / signal price - 1 - ${costs}`,
    `a stop at -${Math.round((1 - stopRatio) * 100)}% of the signal price`,
    `is ${sol(fadeLamports.live)} below its high-water mark`,
  ]
  for (const phrase of shown) it(phrase, () => expect(chainBRule).to.include(phrase))

  const exact = [
    `\`at - ${seconds(windowMs)} s < its block time <= at\`; the last ${seconds(recentMs)} s likewise`,
    `exactly ${minutes(ageMsMin)} min and ${hours(ageMsMax)} h fire`,
    `${percent(soldRawMin) / 100} x 793.1e12 <= sold <= ${percent(soldRawMax) / 100} x 793.1e12`,
    `later than signal + ${seconds(anatomyDelayMs)} s`,
    `if it has migrated by signal + ${seconds(anatomyDelayMs)} s`,
    `\`px <= ${stopRatio} * p0\``,
    `\`px <= ${trailRatio} * high\``,
    `\`px / p0 - 1 - ${costs}\``,
    `block time <= at + ${minutes(outcomeMs)} min count`,
    `at most ${pathMinutesMax} of them`,
    `anchor + ${minutes(postMs.ret1)}, ${minutes(postMs.ret5)} and ${minutes(postMs.ret15)} min`,
    `net SOL since the signal ${sol(fadeLamports.live)} or more below its high-water mark: \`burst_fade\``,
    `net SOL since the signal ${sol(fadeLamports.early)} or more below its high-water mark: \`burst_fade\``,
    `${seconds(stallMs)} s without a price high: \`burst_stall\``,
  ]
  for (const phrase of exact) it(`exactly: ${phrase}`, () => expect(words).to.include(phrase))

  it('names the exit rules in the order that outcomes list them', () => {
    const named = [...source.matchAll(/^ {1,2}\*\s{3}([a-z]+(?:-\w+)*) {2,}/gm)].map(([, name]) => name)
    expect(named).to.deep.equal(exitRules.map(({ name }) => name))
  })
})

const change = (ratio: number) => Math.round((ratio - 1) * 100)
/** Pool buys are followed for so long after their curve was complete: their hour ends before the mint is closed. */
const poolMs = graduatedLifeMs - shadowRules.windowMs

describe('the rule of copies in words', () => {
  const shown = [
    `at least ${sol(shadowRules.lamportsMin)} SOL (fees left out)`,
    `is shadowed for ${minutes(shadowRules.windowMs)} min`,
    `those of at least ${sol(shadowRules.bigLamportsMin)} SOL are big`,
    `in the pool the first ${minutes(poolMs)} min`,
    `at least +${change(shadowRules.hitRatio)}% before it is at most ${change(shadowRules.missRatio)}%`,
    `spends ${sol(copyRules.stakeLamports)} SOL`,
    `stop at ${change(copyRules.stopRatio)}%`,
    `trail at ${change(copyRules.trailRatio)}% of the high once the high is +${change(copyRules.trailFromRatio)}%`,
    `take-profit at +${change(copyRules.takeProfitRatio)}%`,
    `time stop ${minutes(copyRules.timeStopMs)} min after the buy`,
  ]
  for (const phrase of shown) it(phrase, () => expect(copyRule).to.include(phrase))

  const exact = [
    `with \`quoteRaw\` >= ${sol(shadowRules.lamportsMin)} SOL`,
    `less than ${minutes(poolMs)} min after its curve was complete`,
    `later than at + ${minutes(shadowRules.windowMs)} min`,
    `>= ${shadowRules.hitRatio} * px came before any price <= ${shadowRules.missRatio} * px`,
    `The stake of ${sol(copyRules.stakeLamports)} SOL`,
    `for buys >= ${sol(shadowRules.bigLamportsMin)} SOL`,
    `time (at + ${minutes(copyRules.timeStopMs)} min is before`,
    `stop (price <= ${copyRules.stopRatio} * entry), trail (high >= ${copyRules.trailFromRatio} * entry and price <= ${copyRules.trailRatio} * high), take-profit (price >= ${copyRules.takeProfitRatio} * entry)`,
    `newest buy >= ${sol(shadowRules.lamportsMin)} SOL in the pool`,
    `${seconds(copyRules.timeStopMs)} at the time stop`,
  ]
  for (const phrase of exact) it(`exactly: ${phrase}`, () => expect(words).to.include(phrase))

  it('has marks in order, the last one at the end of the hour', () => {
    const marks: readonly number[] = shadowRules.pathSec
    expect([...marks].sort((left, right) => left - right)).to.deep.equal(marks)
    expect(marks.at(-1)).to.equal(seconds(shadowRules.windowMs))
  })
})
