import { expect } from 'chai'
import { revisionOf } from '../../../../processors/chain-b/anatomy/question.ts'
import { bursts } from '../../../../processors/chain-b/bursts/processor.ts'
import { mints } from '../../../../processors/chain-b/mints/processor.ts'
import { safety } from '../../../../processors/chain-b/safety/processor.ts'
import type { ChainBDerived } from '../../../../schemas/chain-b/derived.ts'
import type { SafetyAnswer } from '../../../../schemas/chain-b/facts.ts'
import { buildHash, second } from '../../../support/build-facts.ts'
import {
  buildCurveCompleted,
  buildCurveLaunched,
  buildCurveTraded,
  buildHoldersAnswered,
  buildKey,
  buildSafetyAnswered,
  given,
  testMint,
} from '../../../support/chain-b/build-facts.ts'

const slot = { blockNumber: 1600, blockHash: buildHash(0x5107), blockAtMs: second(600) }
const past = [buildCurveLaunched({ blockAtMs: second(0) }), buildCurveTraded({ ...slot, sol: 10 })]
const asked = () => given([mints, bursts, safety], past)
const question = { questionId: `${testMint}:${second(600)}`, revision: revisionOf(slot.blockHash) }

const report: NonNullable<SafetyAnswer['data']['report']> = {
  ...{ score: 17, isRugged: false, mintAuthority: buildKey(0xaa), freezeAuthority: null },
  ...{ lpLockedShare: 0.5, topHolderShare: 0.25 },
  risks: [
    { name: 'Creator history of rugged tokens', level: 'danger' },
    { name: 'Low amount of holders', level: 'warn' },
    { name: 'Creator history of rugged tokens', level: 'danger' },
    { name: 'Mint Authority still enabled', level: 'danger' },
  ],
}

const answer = (fields: Partial<SafetyAnswer['data']> = {}) =>
  buildSafetyAnswered({ ...question, report, failure: null, answeredAtMs: second(601) + 250, ...fields })

const said = (records: readonly ChainBDerived[]) =>
  records.flatMap((record) => (record.type === 'Safety' ? [record.data] : []))

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
            fails: ['Creator history of rugged tokens', 'Mint Authority still enabled'],
          },
        },
      ])
  })

  it('keeps what the provider does not say as null', () => {
    const silent = { score: null, isRugged: null, lpLockedShare: null, topHolderShare: null, risks: [] }
    const [safe] = said(asked().when(answer({ report: { ...report, ...silent } })).records)
    expect(safe).to.deep.include({ score: null, isRugged: null, lpLockedShare: null, topHolderShare: null, fails: [] })
  })

  it('comes from the first answer, and only from one to its own question', () => {
    const other = { ...report, score: 99 }
    const then = asked().when(answer(), answer({ report: other }))
    expect(said(then.records).map(({ score }) => score)).to.deep.equal([17])
    expect(said(then.when(answer({ report: other })).records)).to.deep.equal([])
    const strange = [answer({ revision: question.revision ^ 1 }), answer({ questionId: 'other' })]
    expect(said(asked().when(...strange).records)).to.deep.equal([])
    expect(said(asked().when(...strange, answer()).records)).to.have.length(1)
  })

  it('is not there where the lookup failed, and a later answer to the same question does not count', () => {
    const then = asked().when(answer({ report: null, failure: 'it is away' }))
    expect(said(then.records)).to.deep.equal([])
    expect(said(then.when(answer()).records)).to.deep.equal([])
  })

  it('is asked anew at every burst', () => {
    const atMs = second(600 + 20 * 60 + 60)
    const again = { blockNumber: 3000, blockHash: buildHash(0x5108), blockAtMs: atMs }
    const then = asked()
      .when(answer())
      .wokenAt(second(600 + 20 * 60))
    const later = then.when(buildCurveTraded({ ...again, sol: 10 }))
    const next = answer({
      questionId: `${testMint}:${atMs}`,
      revision: revisionOf(again.blockHash),
      answeredAtMs: atMs,
    })
    expect(said(later.when(next).records).map(({ checkedAtMs }) => checkedAtMs)).to.deep.equal([atMs])
  })

  it('is forgotten with its mint: an answer that never comes keeps nothing', () => {
    const completed = buildCurveCompleted({ blockNumber: 1700, blockAtMs: second(700) })
    const then = asked()
      .when(completed)
      .wokenAt(second(30 * 3600))
    expect(then.driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
    expect(said(then.when(answer()).records)).to.deep.equal([])
  })

  it('survives a restart between question and answer', () => {
    const then = asked().when(buildHoldersAnswered())
    then.driver.restart()
    expect(said(then.when(answer()).records)).to.have.length(1)
  })
})
