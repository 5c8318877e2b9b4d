import { expect } from 'chai'
import { bursts } from '../../../../processors/chain-a/bursts/processor.ts'
import { revisionOf } from '../../../../processors/chain-a/buyers/buyers.ts'
import { buyers } from '../../../../processors/chain-a/buyers/processor.ts'
import { pools } from '../../../../processors/chain-a/pools/processor.ts'
import type { ChainADerived, Tier } from '../../../../schemas/chain-a/derived.ts'
import type { ChainAFact, SendersAnswered } from '../../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../../schemas/units.ts'
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
import { given } from '../../../support/given-chain-a.ts'

const signalAtMs = second(600)
const dueAtMs = signalAtMs + 5000
const key = { pool: testPool, tier: 'main' as const, atMs: signalAtMs }

/** Returns a pool with a burst of twelve transactions. */
const pastOf = (pool: Hex, createdSec: number, signalSec: number): ChainAFact[] => [
  buildPoolCreated({ pool, blockAtMs: second(createdSec) }),
  ...Array.from({ length: 12 }, (_, index) =>
    buildSwap({ pool, blockAtMs: second(signalSec), txHash: buildHash(index) }),
  ),
]
const past = pastOf(testPool, 0, 600)
const otherPool = buildHash(0xb1)

/** Twelve transactions by three wallets. The last wallet comes first. */
const senders = Array.from({ length: 12 }, (_, index) => ({
  txHash: buildHash(11 - index),
  sender: buildAddress(1 + ((11 - index) % 3)),
}))

const revision = revisionOf(senders.map(({ txHash }) => txHash))
const answer = (fields: Partial<SendersAnswered> = {}) =>
  buildSendersAnswered({ questionId: `${testPool}:main:${signalAtMs}`, revision, senders, ...fields })

const answerOf = (pool: Hex, signalSec: number, tier: Tier) =>
  answer({ questionId: `${pool}:${tier}:${second(signalSec)}` })

const wallets = [buildAddress(1), buildAddress(2), buildAddress(3)]
const found: ChainADerived = { type: 'BurstBuyers', data: { ...key, wallets } }
const notFound: ChainADerived = { type: 'BurstBuyers', data: { ...key, wallets: null } }

const foundIn = (pool: Hex, signalSec: number, tier: Tier): ChainADerived => ({
  type: 'BurstBuyers',
  data: { pool, tier, atMs: second(signalSec), wallets },
})

const asked = () => given([pools, bursts, buyers], past)

describe('the buyers of a burst', () => {
  it('are its distinct senders in order of their first buy, whatever the order of the answer', () => {
    asked().wokenAt(dueAtMs).when(answer()).emits([found])
  })

  it('are not shown before signal + 5 s has passed', () => {
    const early = asked().when(answer())
    early.wokenAt(dueAtMs - 1).emits([])
    early.wokenAt(dueAtMs).emits([found])
  })

  it('are unknown when the lookup failed', () => {
    asked()
      .wokenAt(dueAtMs)
      .when(answer({ senders: null, failure: 'the node was gone' }))
      .emits([notFound])
  })

  it('are unknown when one transaction was', () => {
    asked()
      .wokenAt(dueAtMs)
      .when(answer({ senders: senders.slice(1) }))
      .emits([notFound])
  })

  it('come from the first answer, before it is due and after', () => {
    const other = answer({ senders: senders.map(({ txHash }) => ({ txHash, sender: buildAddress(9) })) })
    asked().when(answer(), other).wokenAt(dueAtMs).emits([found])
    asked().wokenAt(dueAtMs).when(answer(), other).emits([found])
  })

  it('do not come from an answer to another revision or another question', () => {
    asked()
      .wokenAt(dueAtMs)
      .when(answer({ revision: revision ^ 1 }), answer({ questionId: 'other' }))
      .emits([])
  })

  it('do not come from an answer of another kind', () => {
    asked()
      .wokenAt(dueAtMs)
      .when(buildOwnersAnswered({ questionId: `${testPool}:main:${signalAtMs}`, revision, owners: null }))
      .emits([])
  })

  it('of two pools of one token are shown each in its own time', () => {
    const [creation, ...swaps] = past
    const [otherCreation, ...otherSwaps] = pastOf(otherPool, 100, 602)
    if (!creation || !otherCreation) return expect.fail('no facts')
    const both = given([pools, bursts, buyers], [creation, otherCreation, ...swaps, ...otherSwaps])
    const answered = both.when(answer(), answerOf(otherPool, 602, 'main'))
    answered.wokenAt(dueAtMs).emits([found])
    answered.wokenAt(second(607)).emits([foundIn(otherPool, 602, 'main')])
  })

  it('of one pool are still waited for when another of the token is closed', () => {
    const signalSec = 25.4 * 3600
    const both = given([pools, bursts, buyers], [...past, ...pastOf(otherPool, 7200, signalSec)])
    const closed = both.wokenAt(second(25.5 * 3600))
    expect(closed.records.map(({ type }) => type)).to.include('PoolClosed')
    closed.when(answerOf(otherPool, signalSec, 'old')).emits([foundIn(otherPool, signalSec, 'old')])
  })

  it('are no longer waited for when the pool is closed', () => {
    const closed = asked().wokenAt(second(25.5 * 3600))
    closed.when(answer()).emits([])
    expect(closed.driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })
})
