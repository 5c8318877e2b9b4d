import { expect } from 'chai'
import { bursts } from '../../../../processors/chain-b/bursts/processor.ts'
import { calls } from '../../../../processors/chain-b/calls/processor.ts'
import { graduations } from '../../../../processors/chain-b/graduations/processor.ts'
import { markets } from '../../../../processors/chain-b/markets/processor.ts'
import { mints } from '../../../../processors/chain-b/mints/processor.ts'
import { questionLifeMs, safety } from '../../../../processors/chain-b/safety/processor.ts'
import type { ChainBDerived } from '../../../../schemas/chain-b/derived.ts'
import type { SafetyAnswer } from '../../../../schemas/chain-b/facts.ts'
import type { SafetyReason } from '../../../../schemas/chain-b/safety.ts'
import { buildHash, second } from '../../../support/builders/build-facts.ts'
import { buildMention } from '../../../support/builders/build-mentions.ts'
import {
  buildCurveCompleted,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildHoldersAnswered,
  buildKey,
  buildSafetyAnswered,
  given,
  testMint,
} from '../../../support/chain-b/build-facts.ts'

const slot = { blockNumber: 1600, blockHash: buildHash(0x5107), blockAtMs: second(600) }
const burst = buildCurveTraded({ ...slot, sol: 10 })
const processors = [mints, markets, bursts, graduations, calls, safety]
const launched = () => given(processors, [buildCurveLaunched({ blockAtMs: second(0) })])
const asked = () => given([mints, bursts, safety], [buildCurveLaunched({ blockAtMs: second(0) }), burst])
const idOf = (atSec: number, reason: SafetyReason): string => `${testMint}:${second(atSec)}:${reason}`

const report: NonNullable<SafetyAnswer['data']['report']> = {
  ...{ score: 17, isRugged: false, mintAuthority: buildKey(0xaa), freezeAuthority: null },
  ...{ lpLockedShare: 0.5, topHolderShare: 0.25, hasPool: false },
  risks: [
    { name: 'Creator history of rugged tokens', level: 'danger' },
    { name: 'Low amount of holders', level: 'warn' },
    { name: 'Creator history of rugged tokens', level: 'danger' },
    { name: 'Mint Authority still enabled', level: 'danger' },
  ],
}
const silent = {
  ...{ score: null, isRugged: null, mintAuthority: null, freezeAuthority: null, hasPool: null },
  ...{ lpLockedShare: null, topHolderShare: null, risks: [] },
}

const answer = (fields: Partial<SafetyAnswer['data']> = {}) =>
  buildSafetyAnswered({
    ...{ questionId: idOf(600, 'burst'), report, failure: null, answeredAtMs: second(601) + 250 },
    ...fields,
  })

const said = (records: readonly ChainBDerived[]) =>
  records.flatMap((record) => (record.type === 'Safety' ? [record.data] : []))
const questionsIn = (records: readonly ChainBDerived[]) =>
  records.flatMap((record) => (record.type === 'SafetyAsked' ? [record.data] : []))
const reasonsIn = (records: readonly ChainBDerived[]) =>
  questionsIn(records).map(({ reason, atMs }) => [reason, (atMs - second(0)) / 1000])

describe('the safety of a mint', () => {
  it('is what the provider said, with its worst findings by name, each once', () => {
    asked()
      .when(answer())
      .emits([
        ...asked().when(buildHoldersAnswered()).records,
        {
          type: 'Safety',
          data: {
            ...{ checkedAtMs: second(601) + 250, provider: 'provider.example', score: 17, isRugged: false },
            ...{ mintAuthority: buildKey(0xaa), freezeAuthority: null, lpLockedShare: 0.5, topHolderShare: 0.25 },
            ...{ reason: 'burst', hasPool: false },
            fails: ['Creator history of rugged tokens', 'Mint Authority still enabled'],
          },
        },
      ])
  })

  it('keeps what the provider does not say as null', () => {
    const [safe] = said(asked().when(answer({ report: { ...silent, score: 3 } })).records)
    expect(safe).to.deep.include({
      isRugged: null,
      lpLockedShare: null,
      topHolderShare: null,
      hasPool: null,
      fails: [],
    })
  })

  it('is not there where the answer has no content', () => {
    expect(said(asked().when(answer({ report: silent })).records)).to.deep.equal([])
    for (const content of [
      { score: 0 },
      { isRugged: false },
      { lpLockedShare: 0 },
      { topHolderShare: 0 },
      { mintAuthority: buildKey(1) },
      { freezeAuthority: buildKey(1) },
      { risks: [{ name: 'Low amount of holders', level: 'warn' }] },
    ])
      expect(
        said(asked().when(answer({ report: { ...silent, ...content } })).records),
        JSON.stringify(Object.keys(content)),
      ).to.have.length(1)
  })

  it('comes from the first answer, and only from one to its own question', () => {
    const other = { ...report, score: 99 }
    const then = asked().when(answer(), answer({ report: other }))
    expect(said(then.records).map(({ score }) => score)).to.deep.equal([17])
    expect(said(then.when(answer({ report: other })).records)).to.deep.equal([])
    const strange = [answer({ questionId: idOf(600, 'call') }), answer({ questionId: 'other' })]
    expect(said(asked().when(...strange).records)).to.deep.equal([])
    expect(said(asked().when(...strange, answer()).records)).to.have.length(1)
  })

  it('is not there where the lookup failed, and a later answer to the same question does not count', () => {
    const then = asked().when(answer({ report: null, failure: 'it is away' }))
    expect(said(then.records)).to.deep.equal([])
    expect(said(then.when(answer()).records)).to.deep.equal([])
  })

  it('survives a restart between question and answer', () => {
    const then = asked().when(buildHoldersAnswered())
    then.driver.restart()
    expect(said(then.when(answer()).records)).to.have.length(1)
  })
})

describe('the provider of rug checks', () => {
  const completed = buildCurveCompleted({ blockNumber: 1700, blockAtMs: second(700) })
  const migrated = buildCurveMigrated({ blockNumber: 1710, blockAtMs: second(710) })

  it('is asked at the burst, at the first call, and when the pool opens, each once', () => {
    //   launch 0   burst 600   call 650   complete 700   pool 710
    const burstThen = launched().when(burst)
    expect(questionsIn(burstThen.records)).to.deep.equal([
      { questionId: idOf(600, 'burst'), revision: 0, atMs: second(600), reason: 'burst' },
    ])
    const post = buildMention({ postedAtMs: second(650) })
    const callThen = burstThen.when(post).wokenAt(second(650))
    expect(reasonsIn(callThen.records)).to.deep.equal([['call', 650]])
    const again = callThen.when(buildMention({ post: 2, postedAtMs: second(660) })).wokenAt(second(669))
    expect(reasonsIn(again.records), 'a later post of the watch').to.deep.equal([])
    const completeThen = again.when(completed)
    expect(reasonsIn(completeThen.records), 'there is no pool yet').to.deep.equal([])
    const poolThen = completeThen.when(migrated)
    expect(reasonsIn(poolThen.records)).to.deep.equal([['graduation', 710]])
    const marks = poolThen.wokenAt(second(710 + 15 * 60))
    expect(marks.records.filter(({ type }) => type === 'GraduationPost')).to.have.length(3)
    expect(reasonsIn(marks.records)).to.deep.equal([])
  })

  it('is asked about a mint that was never tracked, and about a post that became known late', () => {
    const post = buildMention({ postedAtMs: second(5), seenAtMs: second(90), isTracked: false })
    const then = given(processors)
      .when(buildCurveLaunched({ blockAtMs: second(100), isMayhem: true }))
      .when(post)
    expect(reasonsIn(then.wokenAt(second(101)).records)).to.deep.equal([['call', 5]])
  })

  it('is asked again at the next burst, at the next watch', () => {
    const nextSec = 600 + 20 * 60 + 60
    const again = buildCurveTraded({ blockNumber: 3000, blockAtMs: second(nextSec), sol: 10 })
    const then = launched()
      .when(burst)
      .wokenAt(second(600 + 20 * 60))
    expect(reasonsIn(then.when(again).records)).to.deep.equal([['burst', nextSec]])
    const call = (post: number, atSec: number) =>
      [buildMention({ post, postedAtMs: second(atSec) }), second(atSec)] as const
    const [first, firstAtMs] = call(1, 650)
    const [next, nextAtMs] = call(2, 650 + 48 * 3600 + 1800)
    const watched = launched().when(first).wokenAt(firstAtMs).wokenAt(nextAtMs)
    expect(reasonsIn(watched.when(next).wokenAt(nextAtMs).records)).to.deep.equal([['call', 650 + 48 * 3600 + 1800]])
  })

  it('has one open question for each reason: a newer one replaces it, those of other reasons stay', () => {
    const nextSec = 600 + 20 * 60 + 60
    const post = buildMention({ postedAtMs: second(650) })
    const then = launched()
      .when(burst)
      .when(post)
      .wokenAt(second(600 + 20 * 60))
      .when(buildCurveTraded({ blockNumber: 3000, blockAtMs: second(nextSec), sol: 10 }))
    const answersOf = (...ids: readonly string[]) =>
      ids.map((questionId, index) => answer({ questionId, answeredAtMs: second(nextSec) + index }))
    const told = said(then.when(...answersOf(idOf(600, 'burst'), idOf(650, 'call'), idOf(nextSec, 'burst'))).records)
    expect(told.map(({ reason, checkedAtMs }) => [reason, checkedAtMs - second(nextSec)])).to.deep.equal([
      ['call', 1],
      ['burst', 2],
    ])
  })

  it('may be asked for two reasons at one instant: the answers are two rows', () => {
    const post = buildMention({ postedAtMs: second(710) })
    const then = launched().when(completed).when(migrated, post).wokenAt(second(711))
    const told = said(
      then.when(
        answer({ questionId: idOf(710, 'call'), answeredAtMs: second(712) }),
        answer({ questionId: idOf(710, 'graduation'), answeredAtMs: second(712) }),
      ).records,
    )
    expect(told.map(({ reason }) => reason)).to.deep.equal(['call', 'graduation'])
  })

  it('may answer after the mint was closed', () => {
    const then = launched()
      .when(burst)
      .when(completed)
      .wokenAt(second(3 * 3600))
    expect(said(then.when(answer({ answeredAtMs: second(3 * 3600) })).records)).to.have.length(1)
  })

  it('is waited for a day: a question that nobody answers keeps nothing longer', () => {
    const then = launched()
      .when(burst)
      .when(completed)
      .wokenAt(second(600) + questionLifeMs - 1)
    then.driver.restart()
    expect(then.driver.counts()).to.deep.equal({ tokens: 1, timers: 1 })
    const over = then.wokenAt(second(600) + questionLifeMs)
    expect(over.driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
    expect(said(over.when(answer()).records)).to.deep.equal([])
  })
})
