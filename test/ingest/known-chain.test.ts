import { expect } from 'chai'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import type { Log } from '../../infra/log/log.ts'
import { loadAddressBook } from '../../ingest/address-book.ts'
import { chainADefinition } from '../../ingest/chain-a/definition.ts'
import { createIngestCodecs } from '../../ingest/codecs.ts'
import { createChainPublisher } from '../../ingest/publish.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { createHoledLog } from '../support/log/holed-log.ts'
import { blockAtMs, buildPoolAddress, buildRange, buildSwap, poolOf } from './build-range.ts'

const opened = async () => {
  const log = createHoledLog({ nowMs: () => blockAtMs(1000) })
  const codecs = await createIngestCodecs(chainAStage, createMemoryRegistry())
  return { log, codecs }
}

describe('what is known of a chain', () => {
  it('goes back to any block, however many records came since, and reads no further', async () => {
    const { log, codecs } = await opened()
    const readsFrom: number[] = []
    const watched: Log = {
      ...log,
      read: (from, options) => {
        if (from.topic === 'chain-a-facts' && from.partition === 0) readsFrom.push(from.offset)
        return log.read(from, options)
      },
    }
    const publisher = await createChainPublisher({
      ...{ log: watched, codecs, chain: chainADefinition, kind: 'chain', nowMs: () => blockAtMs(9000) },
    })
    const last = 3000
    await publisher.publish(buildRange(1, 1), null)
    for (let block = 2; block <= last; block++)
      await publisher.publish(
        buildRange(block, block, block === 5 ? { facts: [buildSwap(1, { blockNumber: 5 })] } : {}),
        null,
      )
    const blocksFrom = async (block: number) => {
      readsFrom.length = 0
      const blocks = await publisher.known.blocksFrom(block)
      return [blocks[0]?.number, blocks[1]?.number, blocks.at(-1)?.number]
    }
    expect(await blocksFrom(5)).to.deep.equal([4, 5, last])
    expect(Math.min(...readsFrom), 'the first of all').to.equal(0)
    expect([...(await publisher.known.factIdsFrom(5)).keys()]).to.deep.equal([5])
    expect([...(await publisher.known.factIdsFrom(6)).keys()]).to.deep.equal([])
    expect(await blocksFrom(last)).to.deep.equal([last - 1, last, last])
    expect(Math.min(...readsFrom), 'the latest alone').to.be.greaterThan(last - 1)
    await publisher.close()
  })
})

describe('the blocks that a restatement takes back', () => {
  for (const [whose, other, left] of [
    ['stay known where its head is the same: the branch is', {}, [3, 4, 5, 6]],
    ['are forgotten where its head is another', { hash: `0x${'ee'.repeat(32)}` }, [3, 6]],
    ['are forgotten where its head has another time', { atMs: blockAtMs(7) }, [3, 6]],
  ] as const)
    it(whose, async () => {
      const { log, codecs } = await opened()
      const publisher = await createChainPublisher({
        ...{ log, codecs, chain: chainADefinition, kind: 'chain', nowMs: () => blockAtMs(9000) },
      })
      for (let block = 1; block <= 6; block++) await publisher.publish(buildRange(block, block), null)
      const { head } = buildRange(6, 6)
      await publisher.publish({ ...buildRange(4, 6), revertedFrom: 4, head: { ...head, ...other } }, null)
      expect((await publisher.known.blocksFrom(4)).map(({ number }) => number)).to.deep.equal(left)
      await publisher.close()
    })
})

describe('an address book', () => {
  const bookOf = async () => {
    const { log, codecs } = await opened()
    return loadAddressBook(log, codecs.addresses, chainADefinition)
  }
  const keysOf = (records: readonly { key: string; value: Buffer | null }[]) =>
    records.map(({ key, value }) => [key.split('/').at(-1), value === null ? 'removed' : 'added'])

  it('appends what a range adds, and removes what it says is stale, and nothing else', async () => {
    const book = await bookOf()
    const changes = book.changes({ newAddresses: [buildPoolAddress(1, 5)] }, 0)
    expect(changes.removed).to.deep.equal([])
    expect(keysOf(changes.records)).to.deep.equal([[poolOf(1), 'added']])
    book.remember(changes)
    const next = book.changes({ newAddresses: [], staleAddresses: [poolOf(1)] }, 0)
    expect(keysOf(next.records)).to.deep.equal([[poolOf(1), 'removed']])
    expect(book.changes({ newAddresses: [] }, 0).records).to.deep.equal([])
  })

  it('removes entries past their life along with other changes, or once there are 256 of them', async () => {
    const book = await bookOf()
    const endOfTime = Number.MAX_SAFE_INTEGER
    const expiredOf = (count: number, newAddresses: readonly ReturnType<typeof buildPoolAddress>[]) => {
      book.remember({ added: Array.from({ length: count }, (_, at) => buildPoolAddress(at + 1, 5)), removed: [] })
      return book.changes({ newAddresses }, endOfTime).removed.length
    }
    expect([expiredOf(255, []), expiredOf(255, [buildPoolAddress(999, 5)]), expiredOf(256, [])]).to.deep.equal([
      0, 255, 256,
    ])
  })
})
