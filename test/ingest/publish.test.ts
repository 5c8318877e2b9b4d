import { expect } from 'chai'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import type { Log } from '../../infra/log/log.ts'
import { partitionOf } from '../../infra/log/partition-of.ts'
import { chainADefinition } from '../../ingest/chain-a/definition.ts'
import type { ChainAIngestTypes } from '../../ingest/chain-a/types.ts'
import { createIngestCodecs, type IngestCodecs } from '../../ingest/codecs.ts'
import { createChainPublisher, type PublisherOptions } from '../../ingest/publish.ts'
import type { ChainARecord } from '../../schemas/chain-a/facts.ts'
import { type ChainATypes, chainAStage } from '../../schemas/chain-a/stage.ts'
import type { Tick } from '../../schemas/tick.ts'
import { topics } from '../../schemas/topics.ts'
import { createHoledLog } from '../support/log/holed-log.ts'
import {
  blockAtMs,
  blockHash,
  buildCurveAddress,
  buildPoolAddress,
  buildPositionAddress,
  buildRange,
  buildSwap,
  poolOf,
  positionOf,
  tokenOf,
} from './build-range.ts'
import { readRecords } from './read-records.ts'

const price = { usd: 3000, atMs: 1 }

describe('publishing a chain', () => {
  let nowMs = 0
  let log: Log
  let codecs: IngestCodecs<ChainATypes>

  beforeEach(async () => {
    nowMs = blockAtMs(1000)
    log = createHoledLog({ nowMs: () => nowMs })
    codecs = await createIngestCodecs(chainAStage, createMemoryRegistry())
  })

  const open = (rest: Partial<PublisherOptions<ChainAIngestTypes>> = {}) =>
    createChainPublisher({
      log,
      codecs,
      chain: { ...chainADefinition, stage: { ...chainAStage, rulesVersion: 'test' } },
      kind: 'chain',
      nowMs: () => nowMs,
      ...rest,
    })
  const facts = () => readRecords(log, 'chain-a-facts', codecs.facts)
  const ticksOf = async (partition: number): Promise<readonly Tick[]> =>
    (await facts()).flatMap(({ partition: at, record }) =>
      at === partition && record?.type === 'Tick' ? [record.data] : [],
    )
  const swaps = async () =>
    (await facts()).flatMap(({ key, partition, record }) =>
      record?.type === 'Swap' ? [{ key, partition, block: record.data.blockNumber }] : [],
    )

  it('writes facts to their token’s partition and the tick behind them in every partition', async () => {
    const publisher = await open()
    expect(publisher.cursor()).to.equal(null)
    await publisher.publish(
      buildRange(1, 10, { facts: [buildSwap(1, { blockNumber: 2 }), buildSwap(2, { blockNumber: 3 })] }),
      price,
    )
    expect((await swaps()).map(({ key, partition }) => [key, partition])).to.have.deep.members(
      [tokenOf(1), tokenOf(2)].map((token) => [token, partitionOf(token, topics['chain-a-facts'].partitionCount)]),
    )
    const expected: Tick = {
      seq: 1,
      knownAtMs: nowMs,
      blockNumber: 10,
      blockHash: blockHash(10),
      blockAtMs: blockAtMs(10),
      ethUsd: 3000,
      ethUsdAtMs: 1,
      rulesVersion: 'test',
      revertedFrom: null,
      source: 'chain',
    }
    for (let partition = 0; partition < topics['chain-a-facts'].partitionCount; partition++) {
      const records = (await facts()).filter((found) => found.partition === partition)
      expect(records.at(-1)).to.deep.include({ key: 'tick' })
      expect((await ticksOf(partition)).map((tick) => ({ ...tick }))).to.deep.equal([expected])
    }
  })

  it('goes on after a restart where the last tick stood, also behind answers', async () => {
    const first = await open()
    await first.publish(buildRange(1, 10, { newAddresses: [buildPoolAddress(1, 5)] }), price)
    const lookup = await log.openWriter('lookups-chain-a', { isTransactional: false })
    const answer = { questionId: 'q', revision: 0, pool: poolOf(1), senders: null, failure: 'x', answeredAtMs: 1 }
    const value = codecs.facts.encode('SendersAnswered', answer)
    for (let count = 0; count < 100; count++)
      await lookup.append([{ topic: 'chain-a-facts', partition: 0, key: tokenOf(1), value }])

    const second = await open()
    expect(second.cursor()).to.deep.equal({
      number: 10,
      hash: blockHash(10),
      atMs: blockAtMs(10),
      seq: 1,
      knownAtMs: nowMs,
      price,
    })
    expect([...second.known.book.pools.keys()]).to.deep.equal([poolOf(1)])
    await second.publish(buildRange(11, 12), null)
    const ticks = await ticksOf(3)
    expect(ticks.map(({ seq, blockNumber, ethUsd }) => [seq, blockNumber, ethUsd])).to.deep.equal([
      [1, 10, 3000],
      [2, 12, 3000],
    ])
  })

  it('believes no address that was left by a first append that never came', async () => {
    const value = codecs.addresses.encode('PoolAddress', buildPoolAddress(1, 5).data)
    const before = await log.openWriter('ingest-chain-a')
    await before.append([{ topic: 'addresses', partition: 0, key: poolOf(1), value }])
    const publisher = await open()
    expect([...publisher.known.book.pools.keys()]).to.deep.equal([])
    await publisher.publish(buildRange(1, 10, { newAddresses: [buildPoolAddress(2, 5)] }), price)
    expect([...(await open()).known.book.pools.keys()]).to.deep.equal([poolOf(2)])
  })

  it('goes on where it stood after a rest that is longer than facts and what is derived are kept', async () => {
    await (await open()).publish(buildRange(1, 10, { newAddresses: [buildPoolAddress(1, 5)] }), price)
    nowMs += 400 * 86_400_000
    await log.maintain(nowMs)
    const publisher = await open()
    expect(publisher.cursor()).to.include({ seq: 1, number: 10 })
    expect([...publisher.known.book.pools.keys()]).to.deep.equal([poolOf(1)])
    await publisher.publish(buildRange(11, 12), null)
    expect((await ticksOf(3)).map(({ seq, blockNumber }) => [seq, blockNumber])).to.deep.equal([
      [1, 10],
      [2, 12],
    ])
  })

  const refusal = (of: Log) => open({ log: of }).catch((error: unknown) => error)

  it('numbers nothing anew when the last tick is gone, and leaves the addresses as they are', async () => {
    await (await open()).publish(buildRange(1, 10, { newAddresses: [buildPoolAddress(1, 5)] }), price)
    const addresses = await log.bounds('addresses', 0)
    const emptied: Log = {
      ...log,
      read: async (position, options) => (position.topic === 'chain-a-facts' ? [] : log.read(position, options)),
      bounds: async (topic, partition) => {
        const bounds = await log.bounds(topic, partition)
        return topic === 'chain-a-facts' ? { ...bounds, startOffset: bounds.endOffset } : bounds
      },
    }
    expect(await refusal(emptied)).to.include({ code: 'offset_out_of_range' })
    expect(await log.bounds('addresses', 0)).to.deep.equal(addresses)
  })

  it('numbers nothing anew over what is derived of facts that somebody removed', async () => {
    const stage = await log.openWriter('stage-chain-a-2')
    await stage.append([{ topic: 'chain-a-derived', partition: 2, key: 'tick', value: Buffer.alloc(1) }])
    const failure = await refusal(log)
    expect(failure).to.include({ code: 'offset_out_of_range' })
    expect((failure as Error).message)
      .to.include('chain-a-derived/2')
      .and.include('KAFKA_TOPIC_PREFIX')
  })

  it('begins behind facts of others, which were written while it had nothing yet', async () => {
    const mentions = await log.openWriter('mentions', { isTransactional: false })
    for (const partition of [0, 3])
      await mentions.append([{ topic: 'chain-a-facts', partition, key: 'token', value: Buffer.alloc(1) }])
    const publisher = await open()
    expect(publisher.cursor()).to.equal(null)
    await publisher.publish(buildRange(1, 10), price)
    expect(publisher.cursor()).to.include({ seq: 1, number: 10 })
  })

  it('fences the publisher before it', async () => {
    const old = await open()
    await open()
    const failure = await old.publish(buildRange(1, 2), null).catch((error: unknown) => error)
    expect(failure).to.include({ code: 'writer_fenced' })
    expect(await facts()).to.deep.equal([])
  })

  it('writes nothing of a range whose append fails, and repeats nothing afterwards', async () => {
    let failing = true
    const broken: Log = {
      ...log,
      openWriter: async (id) => {
        const writer = await log.openWriter(id)
        return {
          ...writer,
          append: (records) => {
            if (failing && records.some(({ topic }) => topic === 'chain-a-facts')) throw new RangeError('disk full')
            return writer.append(records)
          },
        }
      },
    }
    const range = buildRange(1, 4, {
      facts: [buildSwap(1, { blockNumber: 2 })],
      newAddresses: [buildPoolAddress(1, 1)],
    })
    const first = await open({ log: broken })
    await first.publish(range, null).catch(() => undefined)
    expect(await facts()).to.deep.equal([])

    failing = false
    const second = await open({ log: broken })
    expect(second.cursor()).to.equal(null)
    await second.publish(range, null)
    expect(await swaps()).to.have.length(1)
  })

  it('says that nothing new was known, with the same block under a new tick', async () => {
    const publisher = await open()
    await publisher.repeat(price)
    expect(await facts(), 'nothing to say before the first block').to.deep.equal([])
    await publisher.publish(buildRange(1, 10), price)
    nowMs += 1000
    await publisher.repeat({ usd: 3100, atMs: 2 })
    const [first, second] = await ticksOf(2)
    expect({ ...second }).to.deep.equal({ ...first, seq: 2, knownAtMs: nowMs, ethUsd: 3100, ethUsdAtMs: 2 })
  })

  it('lets knowledge time rise with each tick, even if the clock is set back, even over a restart', async () => {
    const publisher = await open()
    await publisher.publish(buildRange(1, 2), null)
    const knownAtMs = nowMs
    nowMs -= 5000
    await publisher.publish(buildRange(3, 4), null)
    await (await open()).publish(buildRange(5, 6), null)
    expect((await ticksOf(0)).map((tick) => tick.knownAtMs)).to.deep.equal([0, 1, 2].map((later) => knownAtMs + later))
  })

  it('cuts a large range between blocks, never inside one', async () => {
    // Blocks 2, 3, 5 and 7 have 1, 1, 3 and 1 swaps. With at most two swaps per tick, three ticks follow:
    // blocks 2 and 3, then block 5, then block 7 with the empty blocks after it.
    const blocks = [
      [2, 0],
      [3, 0],
      [5, 0],
      [5, 1],
      [5, 2],
      [7, 0],
    ] as const
    const all = blocks.map(([blockNumber, logIndex]) => buildSwap(1, { blockNumber, logIndex }))
    const publisher = await open({ limits: { factCountMax: 2, bytesMax: 1 << 20 } })
    await publisher.publish(buildRange(1, 9, { facts: all }), null)
    const partition = partitionOf(tokenOf(1), topics['chain-a-facts'].partitionCount)
    const written = (await facts())
      .filter((found) => found.partition === partition)
      .map(({ record }) => record as ChainARecord)
      .map((record) => (record.type === 'Tick' ? `tick ${record.data.blockNumber}` : record.type))
    expect(written).to.deep.equal(['Swap', 'Swap', 'tick 3', 'Swap', 'Swap', 'Swap', 'tick 5', 'Swap', 'tick 9'])
    expect((await ticksOf(partition)).map(({ blockHash: hash }) => hash)).to.deep.equal([3, 5, 9].map(blockHash))
  })

  it('cuts by bytes as well', async () => {
    const all = [2, 3, 4].map((blockNumber) => buildSwap(1, { blockNumber }))
    const publisher = await open({ limits: { factCountMax: 100, bytesMax: 300 } })
    await publisher.publish(buildRange(1, 4, { facts: all }), null)
    expect((await ticksOf(0)).map((tick) => tick.blockNumber)).to.deep.equal([2, 3, 4])
  })

  it('forgets pools that were past their life when the last tick closed, on the topic too', async () => {
    // A pool is followed for 25.5 h. Its address is kept 6 h longer, because a reorg may go back to an
    // earlier block.
    const day = 32 * 3600
    nowMs = blockAtMs(day + 2)
    const publisher = await open()
    await publisher.publish(buildRange(1, 10, { newAddresses: [buildPoolAddress(1, 5)] }), null)
    await publisher.publish(buildRange(11, day, { newAddresses: [buildPoolAddress(2, day)] }), null)
    expect([...publisher.known.book.pools.keys()], 'it was alive at block 10').to.deep.equal([poolOf(1), poolOf(2)])
    await publisher.publish(buildRange(day + 1, day + 2, { newAddresses: [buildPoolAddress(3, day + 2)] }), null)
    expect([...publisher.known.book.pools.keys()]).to.deep.equal([poolOf(2), poolOf(3)])
    expect([...(await open()).known.book.pools.keys()]).to.deep.equal([poolOf(2), poolOf(3)])
  })

  it('forgets positions with their pool, and at once those that stand for something else by now', async () => {
    const day = 32 * 3600
    nowMs = blockAtMs(day + 2)
    const publisher = await open()
    const positions = [buildPositionAddress(7, 1), buildPositionAddress(8, 1), buildPositionAddress(9, 4)]
    await publisher.publish(buildRange(1, 10, { newAddresses: [buildPoolAddress(1, 5), ...positions] }), null)
    const expected = [1, 1].map((pool, index) => [positionOf(7 + index), poolOf(pool)])
    expect([...publisher.known.book.positions], 'none of a pool that is not in it').to.deep.equal(expected)
    expect([...(await open()).known.book.positions], 'after a restart').to.deep.equal(expected)

    const later = await open()
    const moved = [buildPoolAddress(2, day), buildPositionAddress(8, 2)]
    await later.publish(buildRange(11, day, { newAddresses: moved, staleAddresses: [positionOf(7)] }), null)
    const left = [[positionOf(8), poolOf(2)]]
    expect([...later.known.book.positions]).to.deep.equal(left)
    await later.publish(buildRange(day + 1, day + 2, { newAddresses: [buildPoolAddress(3, day + 2)] }), null)
    expect([...later.known.book.pools.keys()]).to.deep.equal([poolOf(2), poolOf(3)])
    for (const { known } of [later, await open()]) expect([...known.book.positions]).to.deep.equal(left)
  })

  it('forgets curves that were not traded for a week, by when the book was told of their last trades', async () => {
    const daySec = 86_400
    nowMs = blockAtMs(8 * daySec)
    const publisher = await open()
    const [first, second] = [buildCurveAddress(1, 5), buildCurveAddress(2, 6)]
    await publisher.publish(buildRange(1, 10, { newAddresses: [first, second] }), null)
    await publisher.publish(buildRange(11, 6 * daySec, { newAddresses: [buildCurveAddress(1, 5, 6 * daySec)] }), null)
    // An idle curve is kept for a week. Its address is kept 6 h longer, because a reorg may go back to an
    // earlier block.
    for (const [to, expected] of [
      [7.3 * daySec, [2, 1]],
      [7.4 * daySec, [1]],
    ] as const) {
      const fromBlock = (publisher.cursor()?.number ?? 0) + 1
      await publisher.publish(buildRange(fromBlock, to, { newAddresses: [buildPoolAddress(9, to)] }), null)
      expect([...publisher.known.book.curves.keys()], `day ${to / daySec}`).to.deep.equal(expected.map(tokenOf))
    }
    const { curves } = (await open()).known.book
    expect([...curves.values()].map((curve) => ({ ...curve }))).to.deep.equal([
      buildCurveAddress(1, 5, 6 * daySec).data,
    ])
  })

  describe('of a time that cannot be', () => {
    const year2100 = 4_102_444_800_000
    const wrongly = (range: ReturnType<typeof buildRange>) => ({ ...range, head: { ...range.head, atMs: year2100 } })

    it('forgets nothing by it', async () => {
      const publisher = await open()
      await publisher.publish(wrongly(buildRange(1, 10, { newAddresses: [buildPoolAddress(1, 5)] })), null)
      await publisher.publish(wrongly(buildRange(11, 12, { newAddresses: [buildPoolAddress(2, 11)] })), null)
      expect([...publisher.known.book.pools.keys()]).to.deep.equal([poolOf(1), poolOf(2)])
    })

    it('holds again what was forgotten by it, at every later start too', async () => {
      // Old versions did not check times, so the clock must agree with the wrong time to simulate them.
      nowMs = year2100
      const before = await open()
      const first = [buildPoolAddress(1, 5), buildPositionAddress(7, 1), buildPoolAddress(2, 6)]
      await before.publish(wrongly(buildRange(1, 10, { newAddresses: first })), null)
      await before.publish(wrongly(buildRange(11, 12, { newAddresses: [buildPoolAddress(3, 11)] })), null)
      expect([...before.known.book.pools.keys()]).to.deep.equal([poolOf(3)])
      nowMs = blockAtMs(1000)
      const held = [poolOf(1), poolOf(2), poolOf(3)]
      const after = await open()
      expect([...after.known.book.pools.keys()]).to.have.members(held)
      await after.publish({ ...buildRange(2, 12), revertedFrom: 2 }, null)
      const { book } = (await open()).known
      expect([...book.pools.keys()]).to.have.members(held)
      expect([...book.positions]).to.deep.equal([[positionOf(7), poolOf(1)]])
    })
  })

  describe('after a reorg', () => {
    const other = (number: number) => blockHash(number + 500_000)
    const replacing = (fromBlock: number, toBlock: number, rest: Parameters<typeof buildRange>[2] = {}) => {
      const range = buildRange(fromBlock, toBlock, rest)
      return { ...range, revertedFrom: fromBlock, head: { ...range.head, hash: other(toBlock) } }
    }
    const swapOf = (blockNumber: number, hash = blockHash(blockNumber)) =>
      buildSwap(1, { blockNumber, blockHash: hash })

    it('says so on one tick, however large the new branch is, in the append that holds it', async () => {
      const publisher = await open({ limits: { factCountMax: 1, bytesMax: 1 } })
      await publisher.publish(buildRange(1, 10, { facts: [swapOf(7)] }), price)
      const facts = [8, 9, 9].map((number, logIndex) => buildSwap(1, { blockNumber: number, logIndex }))
      const appendsBefore = (await ticksOf(0)).length
      await publisher.publish(replacing(6, 9, { facts }), null)
      const said = (await ticksOf(0)).slice(appendsBefore)
      expect(said.map(({ blockNumber, revertedFrom }) => [blockNumber, revertedFrom])).to.deep.equal([[9, 6]])
      expect(publisher.cursor()).to.include({ number: 9, hash: other(9) })
      await publisher.publish(buildRange(10, 11), null)
      await publisher.repeat(null)
      const all = (await ticksOf(3)).slice(-2).map(({ blockNumber, revertedFrom }) => [blockNumber, revertedFrom])
      expect(all).to.deep.equal([
        [11, null],
        [11, null],
      ])
      expect((await open()).cursor(), 'after a restart').to.include({ number: 11, hash: blockHash(11) })
    })

    it('knows of blocks and facts only what still counts', async () => {
      const publisher = await open()
      await publisher.publish(buildRange(1, 4, { facts: [swapOf(3)] }), null)
      await publisher.publish(buildRange(5, 6, { facts: [swapOf(5), swapOf(6)] }), null)
      await publisher.publish(buildRange(7, 9, { facts: [swapOf(7)] }), null)
      await publisher.publish(replacing(6, 8, { facts: [swapOf(7, other(7))] }), null)
      await publisher.publish(buildRange(9, 12), null)
      await publisher.repeat(null)
      for (const { known } of [publisher, await open()]) {
        expect(
          (await known.blocksFrom(7)).map(({ number }) => number),
          'and the one before',
        ).to.deep.equal([4, 8, 12])
        expect((await known.blocksFrom(13)).map(({ number }) => number)).to.deep.equal([12])
        expect((await known.blocksFrom(8)).map(({ hash }) => hash)).to.deep.equal(
          [4, 8, 12].map((at) => (at === 8 ? other(8) : blockHash(at))),
        )
        expect(await known.factIdsFrom(4)).to.deep.equal(
          new Map([
            [5, new Set([`${blockHash(5)}:0`])],
            [7, new Set([`${other(7)}:0`])],
          ]),
        )
        const swaps = await known.factsFrom(4, (type) => type === 'Swap')
        expect(swaps.map(({ fact }) => chainADefinition.factIdOf(fact))).to.have.members([
          `${blockHash(5)}:0`,
          `${other(7)}:0`,
        ])
        const [{ key } = { key: '' }] = swaps
        expect(await known.factsFrom(4, (_, of) => of !== key)).to.have.length(
          swaps.filter((its) => its.key !== key).length,
        )
        expect(await known.factsFrom(4, (type) => type !== 'Swap')).to.deep.equal([])
      }
    })

    it('stops where nothing was told that could be taken back, or something is left untold', async () => {
      const publisher = await open()
      await publisher.publish(buildRange(1, 10), null)
      for (const range of [replacing(11, 12), { ...replacing(7, 9), revertedFrom: 6 }])
        expect(await publisher.publish(range, null).catch((error: unknown) => error)).to.have.property(
          'code',
          'node_inconsistent',
        )
      expect(await ticksOf(0)).to.have.length(1)
    })
  })

  const wrong: readonly (readonly [string, ReturnType<typeof buildRange>])[] = [
    ['leaves out a block', buildRange(12, 13)],
    ['comes twice', buildRange(10, 13)],
    [
      'holds facts out of order',
      buildRange(11, 13, { facts: [12, 11].map((blockNumber) => buildSwap(1, { blockNumber })) }),
    ],
    ['holds a fact twice', buildRange(11, 13, { facts: [11, 11].map((blockNumber) => buildSwap(1, { blockNumber })) })],
    ['holds facts behind its head', buildRange(11, 13, { facts: [buildSwap(1, { blockNumber: 14 })] })],
  ]
  for (const [name, range] of wrong)
    it(`stops at a range that ${name}`, async () => {
      const publisher = await open()
      await publisher.publish(buildRange(1, 10), null)
      const failure = await publisher.publish(range, null).catch((error: unknown) => error)
      expect(failure).to.deep.include({ code: 'node_inconsistent', context: { isRetryable: true } })
      expect(await ticksOf(0)).to.have.length(1)
    })
})
