import { expect } from 'chai'
import { bursts } from '../../../../processors/chain-a/bursts/processor.ts'
import { revisionOf } from '../../../../processors/chain-a/buyers/buyers.ts'
import { buyers } from '../../../../processors/chain-a/buyers/processor.ts'
import { pools } from '../../../../processors/chain-a/pools/processor.ts'
import type { ChainADerived } from '../../../../schemas/chain-a/derived.ts'
import type { SendersAnswered } from '../../../../schemas/chain-a/facts.ts'
import {
  buildAddress,
  buildHash,
  buildPoolCreated,
  buildSendersAnswered,
  buildSwap,
  second,
  testPool,
} from '../../../support/build-facts.ts'
import { given } from '../../../support/given-chain-a.ts'

const signalAtMs = second(600)
const dueAtMs = signalAtMs + 5000
const key = { pool: testPool, tier: 'main' as const, atMs: signalAtMs }

const past = [
  buildPoolCreated({ blockAtMs: second(0) }),
  ...Array.from({ length: 12 }, (_, index) => buildSwap({ blockAtMs: signalAtMs, txHash: buildHash(index) })),
]

/** Twelve transactions of three wallets, the last wallet first. */
const senders = Array.from({ length: 12 }, (_, index) => ({
  txHash: buildHash(11 - index),
  sender: buildAddress(1 + ((11 - index) % 3)),
}))

const revision = revisionOf(senders.map(({ txHash }) => txHash))
const answer = (fields: Partial<SendersAnswered> = {}) =>
  buildSendersAnswered({ questionId: `${testPool}:main:${signalAtMs}`, revision, senders, ...fields })

const wallets = [buildAddress(1), buildAddress(2), buildAddress(3)]
const found: ChainADerived = { type: 'BurstBuyers', data: { ...key, wallets } }
const notFound: ChainADerived = { type: 'BurstBuyers', data: { ...key, wallets: null } }

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

  it('are no longer waited for when the pool is closed', () => {
    const closed = asked().wokenAt(second(25.5 * 3600))
    closed.when(answer()).emits([])
    expect(closed.driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })
})
