import { expect } from 'chai'
import { revisionOf } from '../../../../processors/chain-b/anatomy/question.ts'
import { bursts } from '../../../../processors/chain-b/bursts/processor.ts'
import { mints } from '../../../../processors/chain-b/mints/processor.ts'
import type { BurstAnatomy, ChainBDerived } from '../../../../schemas/chain-b/derived.ts'
import type { ChainBFact, HoldersAnswer } from '../../../../schemas/chain-b/facts.ts'
import { buildHash, second } from '../../../support/builders/build-facts.ts'
import {
  buildCurveCompleted,
  buildCurveFound,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildHoldersAnswered,
  buildKey,
  buildSafetyAnswered,
  given,
  late,
  testMint,
  testPool,
} from '../../../support/chain-b/build-facts.ts'

const slot = { blockNumber: 1600, blockHash: buildHash(0x5107), blockAtMs: second(600) }
const dueAtMs = second(605)
const past = [buildCurveLaunched({ blockAtMs: second(0) }), buildCurveTraded({ ...slot, sol: 10 })]
const asked = () => given([mints, bursts], past)
const revision = revisionOf(slot.blockHash)

const answer = (fields: Partial<HoldersAnswer['data']> = {}) =>
  buildHoldersAnswered({
    ...{ questionId: `${testMint}:${second(600)}`, revision },
    holders: [
      { owner: buildKey(1), tokenRaw: 10n ** 14n },
      { owner: testPool, tokenRaw: 2n * 10n ** 14n },
    ],
    ...fields,
  })

const anatomies = (records: readonly ChainBDerived[]): BurstAnatomy[] =>
  records.flatMap((record) => (record.type === 'BurstAnatomy' ? [record.data] : []))

describe('the anatomy of a burst', () => {
  it('comes with the answer, no earlier than signal + 5 s has passed', () => {
    const early = asked().when(answer())
    expect(anatomies(early.wokenAt(dueAtMs - 1).records)).to.deep.equal([])
    const [anatomy] = anatomies(early.wokenAt(dueAtMs).records)
    expect(anatomy).to.include({ atMs: second(600), buys: 1, bundledShare: 0, holdersTop10: 0.3, holderTop1: 0.2 })
    const late = asked().wokenAt(dueAtMs)
    expect(anatomies(late.records)).to.deep.equal([])
    expect(anatomies(late.when(answer()).records)).to.deep.equal([anatomy])
  })

  it('has no holders if the lookup failed', () => {
    const failed = answer({ holders: null, failure: 'node_unreachable' })
    const [anatomy] = anatomies(asked().wokenAt(dueAtMs).when(failed).records)
    expect(anatomy).to.include({ buys: 1, holdersTop10: null, holderTop1: null })
  })

  it('comes from the first answer, and only from one to its own question', () => {
    const other = answer({ holders: [] })
    const [anatomy] = anatomies(asked().when(answer(), other).wokenAt(dueAtMs).records)
    expect(anatomy?.holderTop1).to.equal(0.2)
    const strange = [answer({ revision: revision ^ 1 }), answer({ questionId: 'other' })]
    expect(
      anatomies(
        asked()
          .wokenAt(dueAtMs)
          .when(...strange).records,
      ),
    ).to.deep.equal([])
  })

  it('leaves out the pool of a curve that has migrated by signal + 5 s, whenever the answer comes', () => {
    const migrated = (atSec: number) => buildCurveMigrated({ blockAtMs: second(atSec) })
    const topOf = (atSec: number) =>
      anatomies(asked().when(migrated(atSec)).wokenAt(second(700)).when(answer()).records)[0]?.holderTop1
    expect(topOf(605)).to.equal(0.1)
    expect(topOf(606)).to.equal(0.2)
  })

  it('knows the pool from the migration alone, if that is not late', () => {
    const topAfter = (...facts: readonly ChainBFact[]) =>
      anatomies(
        asked()
          .when(...facts)
          .wokenAt(dueAtMs)
          .when(answer()).records,
      )[0]?.holderTop1
    const place = { blockAtMs: second(603) }
    const migrated = buildCurveMigrated(place)
    for (const after of [buildCurveCompleted(place), late(buildCurveTraded(place)), late(buildCurveMigrated(place))])
      expect(topAfter(migrated, after), after.type).to.equal(0.1)
    expect(topAfter(late(migrated))).to.equal(0.2)
  })

  it('comes once, and leaves another burst’s question open', () => {
    const again = { blockNumber: 2801, blockHash: buildHash(0x5108), blockAtMs: second(1801) }
    const both = asked().when(buildCurveTraded({ ...again, sol: 10 }))
    const second2 = { questionId: `${testMint}:${second(1801)}`, revision: revisionOf(again.blockHash) }
    const newer = both.when(answer(second2)).wokenAt(second(1806))
    expect(anatomies(newer.records).map(({ atMs }) => atMs)).to.deep.equal([second(1801)])
    expect(anatomies(newer.when(answer()).records).map(({ atMs }) => atMs)).to.deep.equal([second(600)])
    expect(anatomies(newer.wokenAt(second(4000)).records)).to.deep.equal([])
  })

  it('waits its own 5 s, though an older find asked to be woken before', () => {
    const found = buildCurveFound({ blockAtMs: second(1000), launchAtMs: second(0) })
    const place = { blockNumber: 2798, blockHash: buildHash(0x5109), blockAtMs: second(1798) }
    const newer = asked().when(found, buildCurveTraded({ ...place, sol: 10 }))
    const early = newer.when(
      answer({ questionId: `${testMint}:${second(1798)}`, revision: revisionOf(place.blockHash) }),
    )
    expect(anatomies(early.wokenAt(second(1800)).records), 'the older burst would be scored').to.deep.equal([])
    expect(anatomies(early.wokenAt(second(1803)).records)).to.have.lengthOf(1)
  })

  it('is not of an answer about the safety of the mint', () => {
    const safety = buildSafetyAnswered({ questionId: `${testMint}:${second(600)}`, revision })
    const then = asked().when(safety).wokenAt(dueAtMs)
    expect(anatomies(then.records)).to.deep.equal([])
    expect(anatomies(then.when(answer()).records)).to.have.lengthOf(1)
  })

  it('is no longer waited for when the mint is closed', () => {
    const closed = asked().wokenAt(second(600 + 25 * 3600))
    expect(closed.when(answer()).records).to.deep.equal([])
    expect(closed.driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })
})
