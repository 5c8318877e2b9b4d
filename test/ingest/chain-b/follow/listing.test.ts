import { expect } from 'chai'
import { completeUpTo, quietSlots, sortOut, toSlots } from '../../../../ingest/chain-b/follow/listing.ts'
import { createPendingTransactions } from '../../../../ingest/chain-b/follow/pending-transactions.ts'
import { buildBlock, listed, read, signaturesIn } from './build.ts'

describe('a list of transactions', () => {
  const lists: readonly (readonly [string, readonly number[], number, number])[] = [
    ['is complete before the newest slot that it names', [100, 103], 110, 102],
    ['is not complete for its only slot', [100], 101, 99],
    ['is complete for slots long past, whatever it names', [], 200, 200 - quietSlots],
    ['is complete for slots long past also where it names older ones only', [150], 200, 200 - quietSlots],
    ['proves nothing of the head, and nothing behind it', [100, 120], 110, 109],
  ]
  for (const [name, slots, head, upTo] of lists)
    it(name, () => {
      const list = slots.map((slot) => listed(`of ${slot}`, slot))
      expect(completeUpTo(list, head)).to.equal(upTo)
    })

  it('tells what was sent from what is missing, and what was sent of a branch that was left', () => {
    const sorted = sortOut(
      [listed('sent', 100, 7), listed('missing', 100, 8), listed('moved', 101, 9)],
      [
        { slot: 100, transaction: read('sent') },
        { slot: 100, transaction: read('moved') },
        { slot: 100, transaction: read('unlisted') },
      ],
    )
    expect(sorted.sent).to.deep.equal([{ slot: 100, transaction: read('sent', 7) }])
    // The transaction `moved` was sent in another slot than the list says. It may have another effect there,
    // so it counts as missing.
    expect(sorted.missing).to.deep.equal([listed('missing', 100, 8), listed('moved', 101, 9)])
    expect(sorted.unlisted.map(({ transaction }) => transaction.signature)).to.deep.equal(['unlisted'])
  })

  it('becomes slots, each transaction once, slots without one among them', () => {
    const slots = toSlots(
      [buildBlock(100), buildBlock(101)],
      [
        { slot: 100, transaction: read('one', 4) },
        { slot: 100, transaction: read('two') },
        { slot: 100, transaction: read('one', 4) },
      ],
    )
    expect(signaturesIn(slots)).to.deep.equal([
      [100, ['one', 'two']],
      [101, []],
    ])
  })

  it('does not fit blocks that leave out one of its slots', () => {
    const transactions = [{ slot: 101, transaction: read('one') }]
    expect(() => toSlots([buildBlock(100), buildBlock(102)], transactions))
      .to.throw('slot 101')
      .with.property('code', 'node_inconsistent')
  })
})

describe('what the subscription sent', () => {
  it('is bounded: the oldest goes first, and a repetition takes no place', () => {
    const held = createPendingTransactions(2)
    for (const signature of ['one', 'one', 'two', 'three']) held.put({ slot: 100, transaction: read(signature) })
    expect(held.upTo(100).map(({ transaction }) => transaction.signature)).to.deep.equal(['two', 'three'])
  })

  it('is forgotten with its slots', () => {
    const held = createPendingTransactions(10)
    for (const slot of [100, 101, 102]) held.put({ slot, transaction: read(`of ${slot}`) })
    held.forgetUpTo(101)
    expect(held.upTo(200).map(({ slot }) => slot)).to.deep.equal([102])
  })
})
