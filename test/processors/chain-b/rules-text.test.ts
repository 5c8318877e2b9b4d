import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { postMs } from '../../../processors/chain-b/graduations/post.ts'
import { chainBNumbers } from '../../../schemas/chain-b/numbers.ts'
import { chainBRule, copyRule } from '../../../schemas/chain-b/rules.ts'

const { bursts, outcomes, anatomy, mints, graduations, shadow: shadowRules, copy: copyRules } = chainBNumbers
const { inflowLamportsMin, windowMs, recentMs, ageMsMin, ageMsMax, fillBpsMin, fillBpsMax } = bursts
const { costRatio, stopRatio, exits } = outcomes
const exitOf = (name: string) => exits.find((exit) => exit.name === name)
const [live, early, stall, trail] = ['live', 'fade-2', 'stall', 'trail-20'].map(exitOf)

const sol = (lamports: number) => lamports / 1e9
const seconds = (ms: number) => ms / 1000
const minutes = (ms: number) => ms / 60_000
const hours = (ms: number) => ms / 3_600_000
const percent = (bps: number) => bps / 100

const source = readFileSync(new URL('../../../schemas/chain-b/rules.ts', import.meta.url), 'utf8')
/** The text of the file, with the line breaks of its comments removed. */
const words = source.replaceAll(/\n \*/g, '').replaceAll(/\s+/g, ' ')

describe('the rule of chain B in words', () => {
  const shown = [
    `net inflow >= ${sol(inflowLamportsMin)} SOL into one bonding curve within ${seconds(windowMs)} s`,
    `token ${minutes(ageMsMin)} min to ${hours(ageMsMax)} h old`,
    `curve ${percent(fillBpsMin)}-${percent(fillBpsMax)}% full`,
    `in the last ${seconds(recentMs)} s`,
    `or ${minutes(outcomes.lengthMs)} min after the signal`,
    `price / signal price - 1 - ${costRatio}`,
    `a stop at -${Math.round((1 - stopRatio) * 100)}% of the signal price`,
    `is ${sol(live?.fadeLamports ?? 0)} below its high-water mark`,
  ]
  for (const phrase of shown) it(phrase, () => expect(chainBRule).to.include(phrase))

  const exact = [
    `\`at - ${seconds(windowMs)} s < its block time <= at\`; the last ${seconds(recentMs)} s likewise`,
    `exactly ${minutes(ageMsMin)} min and ${hours(ageMsMax)} h fire`,
    `${percent(fillBpsMin) / 100} x 793.1e12 <= sold <= ${percent(fillBpsMax) / 100} x 793.1e12`,
    `later than signal + ${seconds(anatomy.delayMs)} s`,
    `if it has migrated by signal + ${seconds(anatomy.delayMs)} s`,
    `\`px <= ${stopRatio} * p0\``,
    `\`px <= ${trail?.trailRatio} * high\``,
    `\`px / p0 - 1 - ${costRatio}\``,
    `block time <= at + ${minutes(outcomes.lengthMs)} min count`,
    `at most ${graduations.pathMinutes} of them`,
    `anchor + ${minutes(postMs.ret1)}, ${minutes(postMs.ret5)} and ${minutes(postMs.ret15)} min`,
    `net SOL since the signal ${sol(live?.fadeLamports ?? 0)} or more below its high-water mark: \`burst_fade\``,
    `net SOL since the signal ${sol(early?.fadeLamports ?? 0)} or more below its high-water mark: \`burst_fade\``,
    `${seconds(stall?.stallMs ?? 0)} s without a price high: \`burst_stall\``,
  ]
  for (const phrase of exact) it(`exactly: ${phrase}`, () => expect(words).to.include(phrase))

  it('names the exit rules in the order that outcomes list them', () => {
    const named = [...source.matchAll(/^ {1,2}\*\s{3}([a-z]+(?:-\w+)*) {2,}/gm)].map(([, name]) => name)
    expect(named).to.deep.equal(exits.map(({ name }) => name))
  })
})

const change = (ratio: number) => Math.round((ratio - 1) * 100)
/**
 * The time after the completion of the curve in which buys in the pool are followed, in milliseconds. It
 * leaves a full hour after each buy before the mint is closed.
 */
const poolMs = mints.graduatedLifeMs - shadowRules.windowMs

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
