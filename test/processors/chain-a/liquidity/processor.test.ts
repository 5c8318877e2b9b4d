import { expect } from 'chai'
import { bursts } from '../../../../processors/chain-a/bursts/processor.ts'
import { revisionOf } from '../../../../processors/chain-a/buyers/buyers.ts'
import { liquidity } from '../../../../processors/chain-a/liquidity/processor.ts'
import { pools } from '../../../../processors/chain-a/pools/processor.ts'
import type { BurstLp, ChainADerived, OwnersAsked } from '../../../../schemas/chain-a/derived.ts'
import type { ChainAFact, OwnersAnswered, PoolCreated } from '../../../../schemas/chain-a/facts.ts'
import {
  buildAddress,
  buildHash,
  buildOwnersAnswered,
  buildPoolCreated,
  buildSendersAnswered,
  buildSwap,
  second,
  testPool,
} from '../../../support/builders/build-facts.ts'
import { addToNft, mintNft, transferNft } from '../../../support/builders/build-positions.ts'
import { given } from '../../../support/given-chain-a.ts'

const creator = buildAddress(0xc0)
const stranger = buildAddress(0xc2)
const signalSec = 600
const shownAtMs = second(signalSec + 5)
const hour = 3600

const created = (fields: Partial<PoolCreated> = {}) =>
  buildPoolCreated({ blockAtMs: second(0), txSender: creator, ...fields })
const buysAt = (atSec: number, count: number): ChainAFact[] =>
  Array.from({ length: count }, () => buildSwap({ blockAtMs: second(atSec), eth: 0.1 }))

/** The creator owns NFT 1 with a liquidity of 70. A stranger owns NFT 2 with a liquidity of 30. */
const past = [
  created(),
  ...mintNft({ id: 1, to: creator, liquidity: 70n, blockAtMs: second(1) }),
  ...mintNft({ id: 2, to: stranger, liquidity: 30n, txSender: creator, blockAtMs: second(1) }),
]

const watched = (facts: readonly ChainAFact[]) => given([pools, bursts, liquidity], facts)

const lps = (records: readonly ChainADerived[]): BurstLp[] =>
  records.flatMap(({ type, data }) => (type === 'BurstLp' ? [data] : []))
const asked = (records: readonly ChainADerived[]): OwnersAsked[] =>
  records.flatMap(({ type, data }) => (type === 'OwnersAsked' ? [data] : []))

/**
 * Shows rows as texts. `main held i0.70 u0.00` is the tier, the class, the insider share and the unknown
 * share.
 */
const shown = (records: readonly ChainADerived[]): string[] =>
  lps(records).map((lp) => `${lp.tier} ${lp.class} i${lp.insiderShare.toFixed(2)} u${lp.unknownShare.toFixed(2)}`)

describe('the liquidity at a burst’s signal', () => {
  it('is shown once block time has passed signal + 5 s, for main and lite', () => {
    const then = watched(past).when(...buysAt(signalSec, 12))
    expect(shown(then.wokenAt(shownAtMs - 1).records)).to.deep.equal([])
    expect(shown(then.wokenAt(shownAtMs).records)).to.deep.equal(['main held i0.70 u0.00', 'lite held i0.70 u0.00'])
  })

  it('is that at the end of the signal block: what follows it in the block counts, what later blocks do does not', () => {
    const inBlock = transferNft({ id: 1, to: stranger, blockAtMs: second(signalSec) })
    const after = transferNft({ id: 1, to: creator, blockAtMs: second(signalSec + 1) })
    const then = watched(past).when(...buysAt(signalSec, 8), inBlock, after)
    expect(shown(then.wokenAt(shownAtMs).records)).to.deep.equal(['lite safe i0.00 u0.00'])
  })

  it('is unknown where there is none', () => {
    const then = watched([created()]).when(...buysAt(signalSec, 8))
    expect(asked(then.records)).to.deep.equal([])
    expect(shown(then.wokenAt(shownAtMs).records)).to.deep.equal(['lite unknown i0.00 u0.00'])
  })

  it('is not taken for refires, old bursts and v3 pools', () => {
    const refired = watched(past)
      .when(...buysAt(signalSec, 12))
      .wokenAt(second(signalSec + 1800))
      .when(...buysAt(signalSec + 1801, 12))
    expect(refired.records.filter(({ type }) => type === 'Burst')).to.have.length(1)
    expect(asked(refired.records)).to.deep.equal([])
    expect(lps(refired.wokenAt(second(signalSec + 1900)).records)).to.deep.equal([])
    const old = watched(past).when(...buysAt(7 * hour, 12))
    expect(old.records.map(({ type }) => type)).to.include('Burst')
    expect(lps(old.wokenAt(second(8 * hour)).records)).to.deep.equal([])
    const v3 = watched([created({ dex: 'v3' })]).when(...buysAt(signalSec, 12))
    expect(lps(v3.wokenAt(shownAtMs).records)).to.deep.equal([])
  })
})

const signalled = () => watched(past).when(...buysAt(signalSec, 8))
const revision = revisionOf([buildHash(1000 + signalSec), buildHash(1), buildHash(2)])
const questionId = `${testPool}:lite:${second(signalSec)}`

const answer = (owners: OwnersAnswered['owners'], fields: Partial<OwnersAnswered> = {}) =>
  buildOwnersAnswered({ questionId, revision, owners, ...fields })
const agreeing = [
  { positionId: buildHash(1), owner: creator },
  { positionId: buildHash(2), owner: stranger },
]

describe('the sample of owners', () => {
  it('is asked for at the signal, the largest NFTs first', () => {
    expect(asked(signalled().records)).to.deep.equal([
      {
        questionId,
        revision,
        pool: testPool,
        tier: 'lite',
        atMs: second(signalSec),
        blockNumber: 1000 + signalSec,
        blockHash: buildHash(1000 + signalSec),
        positionIds: [buildHash(1), buildHash(2)],
      },
    ])
  })

  it('is of at most 20, equal ones by number', () => {
    const many = Array.from({ length: 25 }, (_, index) =>
      mintNft({ id: 100 - index, to: creator, liquidity: index < 3 ? 9n : 5n, blockAtMs: second(2) }),
    ).flat()
    const [{ positionIds } = { positionIds: [] }] = asked(
      watched([created(), ...many]).when(...buysAt(signalSec, 8)).records,
    )
    const ids = [98, 99, 100, ...Array.from({ length: 17 }, (_, index) => 76 + index)]
    expect(positionIds).to.deep.equal(ids.map(buildHash))
  })

  it('asks for NFTs with liquidity alone, the largest first whatever the order of their mints', () => {
    const sizes = [4n, 1n, 9n, 0n, 4n, 7n, 4n, 10n ** 30n]
    const mixed = sizes.flatMap((size, id) => mintNft({ id, to: creator, liquidity: size, blockAtMs: second(2) }))
    const [{ positionIds } = { positionIds: [] }] = asked(
      watched([created(), ...mixed]).when(...buysAt(signalSec, 8)).records,
    )
    expect(positionIds).to.deep.equal([7, 2, 5, 0, 4, 6, 1].map(buildHash))
  })

  it('changes nothing where the node agrees, and is shown once', () => {
    const early = signalled().when(answer(agreeing)).wokenAt(shownAtMs)
    expect(shown(early.records)).to.deep.equal(['lite held i0.70 u0.00'])
    const late = signalled().wokenAt(shownAtMs).when(answer(agreeing))
    expect(shown(late.records)).to.deep.equal([])
  })

  const others = [{ positionId: buildHash(2), owner: buildAddress(0xe) }]
  const doubted = ['lite unknown i0.70 u0.30']

  it('makes the class unknown where the node names another owner, before it is shown', () => {
    expect(shown(signalled().when(answer(others)).wokenAt(shownAtMs).records)).to.deep.equal(doubted)
  })

  it('does so afterwards too, as a later version', () => {
    const then = signalled().wokenAt(shownAtMs)
    expect(shown(then.records)).to.deep.equal(['lite held i0.70 u0.00'])
    expect(shown(then.when(answer(others)).records)).to.deep.equal(doubted)
  })

  it('takes an NFT that the node does not know for another owner', () => {
    const gone = [{ positionId: buildHash(1), owner: null }]
    expect(shown(signalled().when(answer(gone)).wokenAt(shownAtMs).records)).to.deep.equal(['lite unknown i0.00 u0.70'])
  })

  it('changes nothing when it failed, and the first answer counts', () => {
    const failed = answer(null, { failure: 'the node was gone' })
    expect(shown(signalled().when(failed, answer(others)).wokenAt(shownAtMs).records)).to.deep.equal([
      'lite held i0.70 u0.00',
    ])
  })

  it('is not taken from an answer of another kind', () => {
    const other = buildSendersAnswered({ questionId, revision, senders: null })
    expect(shown(signalled().when(other, answer(others)).wokenAt(shownAtMs).records)).to.deep.equal(doubted)
  })

  it('is taken by the burst that asked, of several that wait', () => {
    const both = watched(past).when(...buysAt(signalSec, 12))
    expect(shown(both.when(answer(others)).wokenAt(shownAtMs).records)).to.deep.equal([
      'main held i0.70 u0.00',
      ...doubted,
    ])
  })

  /**
   * Returns the pools of the bursts whose liquidity records are not complete yet. They are read from the
   * state, because no output shows them.
   */
  const waiting = (facts: readonly ChainAFact[]) => {
    const state = liquidity.initialState()
    const then = given([pools, bursts, { ...liquidity, initialState: () => state }], facts)
    return { then, pools: () => state.signals.map(({ burst }) => burst.pool) }
  }

  it('is forgotten once it has come and the burst is shown, whichever is first', () => {
    const facts = [...past, ...buysAt(signalSec, 8)]
    const early = waiting(facts)
    const answered = early.then.when(answer(agreeing))
    expect(early.pools()).to.deep.equal([testPool])
    answered.wokenAt(shownAtMs)
    expect(early.pools()).to.deep.equal([])
    const late = waiting(facts)
    const told = late.then.wokenAt(shownAtMs)
    expect(late.pools()).to.deep.equal([testPool])
    told.when(answer(agreeing))
    expect(late.pools()).to.deep.equal([])
  })

  it('is no longer waited for when its pool is closed, that of another pool of the token is', () => {
    const young = buildHash(0x1a)
    const buys = Array.from({ length: 8 }, () => buildSwap({ pool: young, blockAtMs: second(25.4 * hour), eth: 0.1 }))
    const its = waiting([
      ...past,
      ...buysAt(signalSec, 8),
      created({ pool: young, blockAtMs: second(24 * hour) }),
      ...mintNft({ id: 3, pool: young, to: creator, liquidity: 5n, blockAtMs: second(24 * hour) }),
      ...buys,
    ])
    const before = its.then.wokenAt(second(25.5 * hour) - 1)
    expect(its.pools()).to.deep.equal([testPool, young])
    before.wokenAt(second(25.5 * hour))
    expect(its.pools()).to.deep.equal([young])
  })

  it('is not taken from an answer about another branch', () => {
    const then = signalled()
      .when(answer(others, { revision: revision ^ 1 }))
      .wokenAt(shownAtMs)
    expect(shown(then.records)).to.deep.equal(['lite held i0.70 u0.00'])
    expect(shown(then.when(answer(others)).records)).to.deep.equal(doubted)
  })

  it('asks another question of the same NFTs in another block', () => {
    const [here, there] = [undefined, buildHash(0xabc)].map((blockHash) => {
      const buys = Array.from({ length: 8 }, () =>
        buildSwap({ blockAtMs: second(signalSec), eth: 0.1, ...(blockHash && { blockHash }) }),
      )
      return asked(watched(past).when(...buys).records)[0]?.revision
    })
    expect(here).not.to.equal(there)
  })

  it('adds nothing to what was frozen: an NFT that grew later counts as it was', () => {
    const grown = addToNft({ id: 2, liquidity: 900n, blockAtMs: second(signalSec + 1) })
    const then = signalled().when(grown, answer(others)).wokenAt(shownAtMs)
    expect(shown(then.records)).to.deep.equal(doubted)
  })
})
