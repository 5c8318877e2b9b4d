import { expect } from 'chai'
import { revisionOf } from '../../../../processors/chain-b/anatomy/question.ts'
import { bursts } from '../../../../processors/chain-b/bursts/processor.ts'
import { mints } from '../../../../processors/chain-b/mints/processor.ts'
import type { BurstAnatomy, ChainBDerived } from '../../../../schemas/chain-b/derived.ts'
import type { HoldersAnswer } from '../../../../schemas/chain-b/facts.ts'
import { buildHash, second } from '../../../support/build-facts.ts'
import {
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildHoldersAnswered,
  buildKey,
  given,
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

  it('is no longer waited for when the mint is closed', () => {
    const closed = asked().wokenAt(second(600 + 25 * 3600))
    expect(closed.when(answer()).records).to.deep.equal([])
    expect(closed.driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })
})
