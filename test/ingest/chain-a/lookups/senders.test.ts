import { expect } from 'chai'
import { OperationError } from '../../../../infra/errors.ts'
import { createPrecallSendersLookup } from '../../../../ingest/chain-a/lookups/precall-senders.ts'
import { createSendersLookup, type SenderReader } from '../../../../ingest/chain-a/lookups/senders.ts'
import type { Hex } from '../../../../schemas/units.ts'

const [tx1, tx2, tx3] = ['0x01', '0x02', '0x03'] as const
const [alice, bob] = ['0xa1', '0xb0'] as const
const asked = { txHashes: [tx2, tx1], revision: 0, atMs: 5_000 } as const
const burst = { ...asked, questionId: 'q', pool: '0x77', tier: 'main' } as const
const { signal } = new AbortController()
const context = { signal, ageMs: () => 0 }

const readerOf = (known: Readonly<Record<string, Hex>>) => {
  const calls: (readonly [hashes: readonly Hex[], signal: AbortSignal])[] = []
  const read: SenderReader = async (hashes, abort) => {
    calls.push([hashes, abort])
    return new Map(Object.entries(known).filter(([hash]) => hashes.includes(hash as Hex)))
  }
  return { read, calls }
}

const lookups = [
  {
    what: 'buyers of a burst',
    create: (read: SenderReader) => {
      const { find, ...lookup } = createSendersLookup(read)
      return { ...lookup, find: () => find(burst, context) }
    },
  },
  {
    what: 'buyers before a call',
    create: (read: SenderReader) => {
      const { find, ...lookup } = createPrecallSendersLookup(read)
      return { ...lookup, find: () => find({ ...asked, questionId: 'q' }, context) }
    },
  },
] as const

for (const { what, create } of lookups)
  describe(`senders of the ${what}`, () => {
    it('are asked for 5 s after the question, of its transactions, in their order', async () => {
      const { read, calls } = readerOf({ '0x01': alice, '0x02': bob, '0x03': alice })
      const lookup = create(read)
      expect(lookup.askAfterMs).to.equal(5_000)
      expect(await lookup.find()).to.deep.equal({
        found: [
          { txHash: tx2, sender: bob },
          { txHash: tx1, sender: alice },
        ],
      })
      expect(calls).to.deep.equal([[[tx2, tx1], signal]])
    })

    it('are missing while one of them is: a part would pass for all', async () => {
      const { read } = readerOf({ [tx1]: alice, [tx3]: bob })
      expect(await create(read).find()).to.deep.equal({ missing: '1 of 2 transactions are unknown to the node' })
    })

    it('are missing for now while the node is away, and are asked for during a minute', async () => {
      const lookup = create(async () => Promise.reject(new OperationError('node_unreachable', 'away')))
      expect(await lookup.find()).to.deep.equal({ missing: 'away' })
      expect(lookup.askForMs).to.equal(60_000)
      const refused = new OperationError('node_refused', 'no such')
      const failure = await create(async () => Promise.reject(refused))
        .find()
        .catch((error: unknown) => error)
      expect(failure).to.equal(refused)
    })
  })

describe('the answer with senders', () => {
  const { read } = readerOf({})
  const senders = [{ txHash: tx1, sender: alice }]

  it('names the pool of the burst, and none before a call', () => {
    const ofBurst = createSendersLookup(read)
    expect(ofBurst.answerOf(burst, senders)).to.deep.equal({ pool: '0x77', senders })
    const beforeCall = createPrecallSendersLookup(read)
    expect(beforeCall.answerOf({ ...asked, questionId: 'q' }, null)).to.deep.equal({ pool: '0x', senders: null })
  })

  it('belongs to the call of that token and instant', () => {
    const { questionIdOf } = createPrecallSendersLookup(read)
    expect(questionIdOf({ atMs: 7_000 } as never, '0xcafe')).to.equal('precall:0xcafe:7000')
  })
})
