import { expect } from 'chai'
import { pino } from 'pino'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import type { Log } from '../../infra/log/log.ts'
import { createMemoryLog } from '../../infra/log/memory/memory-log.ts'
import { runTogether } from '../../infra/run-together.ts'
import type { Chain } from '../../ingest/chain.ts'
import { chainADefinition } from '../../ingest/chain-a/definition.ts'
import { createSendersLookup } from '../../ingest/chain-a/lookups/senders.ts'
import type { ChainAIngestTypes } from '../../ingest/chain-a/types.ts'
import { createIngestCodecs, type IngestCodecs } from '../../ingest/codecs.ts'
import { createChainPublisher } from '../../ingest/publish.ts'
import { runIngest } from '../../ingest/run-ingest.ts'
import type { ChainSource, ChainTypes, FactRange } from '../../ingest/source.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import type { Stage } from '../../schemas/stage.ts'
import type { Tick } from '../../schemas/tick.ts'
import { blockAtMs, blockHash, buildPoolAddress, buildRange, buildSwap, poolOf, tokenOf } from './build-range.ts'
import { readRecords } from './read-records.ts'
import {
  accountLifeMs,
  buildToyRange,
  type ToyTypes,
  topicTable,
  toyAtMs,
  toyChain,
  toyDefinition,
  toyStage,
} from './toy-chain.ts'

/** Creates a source that returns these ranges, and then waits until it is stopped. */
const sourceOf = <Types extends ChainTypes>(ranges: readonly FactRange<Types>[]): ChainSource<Types> => ({
  kind: 'simulated',
  async *ranges(cursor, _known, signal) {
    yield* ranges.filter(({ fromBlock }) => fromBlock > (cursor?.number ?? 0))
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  },
})
const logger = pino({ level: 'silent' })

describe('two chains on one log', () => {
  let log: Log
  let codecs: Readonly<{ a: IngestCodecs; toy: IngestCodecs }>

  beforeEach(async () => {
    log = createMemoryLog({ nowMs: () => blockAtMs(1000), topicTable })
    const registry = createMemoryRegistry()
    const codecsOf = (stage: Stage) => createIngestCodecs(stage, registry, topicTable.addresses)
    codecs = { a: await codecsOf(chainAStage), toy: await codecsOf(toyStage) }
  })

  const shared = () => ({ kind: 'chain', log, nowMs: () => blockAtMs(1000) }) as const
  const openA = () => createChainPublisher({ ...shared(), chain: chainADefinition, codecs: codecs.a })
  const openToy = () => createChainPublisher({ ...shared(), chain: toyDefinition, codecs: codecs.toy })
  const booksOnRestart = async () => ({
    a: [...(await openA()).known.book.pools.keys()],
    toy: [...(await openToy()).known.book.keys()],
  })
  const addressKeys = async () =>
    (await readRecords(log, topicTable.addresses, codecs.a.addresses)).map(({ key, record }) =>
      record ? key : `removed ${key}`,
    )
  const ticksOf = async (stage: Stage, { facts }: IngestCodecs): Promise<readonly Tick[]> =>
    (await readRecords(log, stage.factTopic, facts)).flatMap(({ partition, record }) =>
      partition === 0 && record?.type === 'Tick' ? [record.data as Tick] : [],
    )

  it('each keep their own address book, under keys that chain A has always had and that the other prefixes', async () => {
    const [a, toy] = [await openA(), await openToy()]
    await toy.publish(buildToyRange(1, ['ann', 'bob']), null)
    await a.publish(buildRange(1, 10, { newAddresses: [buildPoolAddress(1, 5)] }), null)
    expect(await addressKeys()).to.deep.equal(['toy/ann', 'toy/bob', poolOf(1)])
    expect(await booksOnRestart()).to.deep.equal({ a: [poolOf(1)], toy: ['ann', 'bob'] })
  })

  it('each remove only what is theirs, also where both know something by the same name', async () => {
    const [a, toy] = [await openA(), await openToy()]
    await a.publish(buildRange(1, 10, { newAddresses: [buildPoolAddress(1, 5)] }), null)
    await toy.publish(buildToyRange(1, [poolOf(1)]), null)
    const late = 2 + Math.ceil(accountLifeMs / 400)
    const gap = { ...buildToyRange(late), fromBlock: 2 }
    await toy.publish(gap, null)
    // At the last slot, the account is so old that its address can be removed. The next range adds another
    // account, and so triggers the removal.
    await toy.publish(buildToyRange(late + 1, ['ann']), null)
    expect(await booksOnRestart()).to.deep.equal({ a: [poolOf(1)], toy: ['ann'] })

    await (await openToy()).publish(buildToyRange(late + 2, [poolOf(1)]), null)
    const stale = { newAddresses: [buildPoolAddress(2, 11)], staleAddresses: [poolOf(1)] }
    await (await openA()).publish(buildRange(11, 12, stale), null)
    expect(await booksOnRestart()).to.deep.equal({ a: [poolOf(2)], toy: ['ann', poolOf(1)] })
  })

  it('begin cold without emptying the other’s book', async () => {
    await (await openA()).publish(buildRange(1, 10, { newAddresses: [buildPoolAddress(1, 5)] }), null)
    const leftBehind = codecs.toy.addresses.encode('ToyAccount', { account: 'ann', sinceMs: toyAtMs(1) })
    const before = await log.openWriter('ingest-toy')
    await before.append([{ topic: 'addresses', partition: 0, key: 'toy/ann', value: leftBehind }])
    expect([...(await openToy()).known.book.keys()], 'left by an append that never came').to.deep.equal([])
    expect(await addressKeys()).to.deep.equal([poolOf(1), 'toy/ann', 'removed toy/ann'])
    expect((await booksOnRestart()).a).to.deep.equal([poolOf(1)])
  })

  it('begin cold without emptying the other’s book when that one’s keys have the prefix', async () => {
    await (await openToy()).publish(buildToyRange(1, ['ann']), null)
    const { type, data } = buildPoolAddress(1, 5)
    const before = await log.openWriter('ingest-chain-a')
    const value = codecs.a.addresses.encode(type, data)
    await before.append([{ topic: 'addresses', partition: 0, key: poolOf(1), value }])
    expect([...(await openA()).known.book.pools.keys()]).to.deep.equal([])
    expect(await addressKeys()).to.deep.equal(['toy/ann', poolOf(1), `removed ${poolOf(1)}`])
    expect((await booksOnRestart()).toy).to.deep.equal(['ann'])
  })

  it('fence only the earlier publisher of the same chain, and each go on at their own cursor', async () => {
    const [a, toy] = [await openA(), await openToy()]
    await a.publish(buildRange(1, 10), { usd: 3000, atMs: 1 })
    await toy.publish(buildToyRange(1), null)
    await openToy()
    await a.publish(buildRange(11, 12), null)
    const failure = await toy.publish(buildToyRange(2), null).catch((error: unknown) => error)
    expect(failure).to.include({ code: 'writer_fenced' })
    expect((await openA()).cursor()).to.include({ number: 12, seq: 2 })
    expect((await openToy()).cursor()).to.deep.include({ number: 1, seq: 1, hash: '0x', price: null })
  })

  it('are ingested and answered beside each other, each with its own ticks, price and lookups', async () => {
    const chainA: Chain<ChainAIngestTypes> = {
      ...chainADefinition,
      source: sourceOf<ChainAIngestTypes>([buildRange(1, 10, { facts: [buildSwap(1, { blockNumber: 3 })] })]),
      readPrice: async () => ({ usd: 3000, atMs: 1 }),
      lookups: [createSendersLookup(async (hashes) => new Map(hashes.map((hash) => [hash, tokenOf(9)])))],
    }
    const toy = toyChain(sourceOf<ToyTypes>([buildToyRange(1, ['ann', 'bob']), buildToyRange(2, ['ann'])]))
    const stop = new AbortController()
    let clockMs = blockAtMs(1000)
    const run = (chain: Chain, its: IngestCodecs) =>
      runIngest({
        ...{ chain, codecs: its, log, logger, signal: stop.signal },
        nowMs: () => clockMs,
        delay: async (ms) => {
          clockMs += Math.ceil(ms / 100)
          await new Promise(setImmediate)
        },
      })
    const ask = async (stage: Stage, { derived }: IngestCodecs, [type, data]: readonly [string, object]) => {
      const value = derived.encode(type, data)
      const writer = await log.openWriter(`stage-${stage.name}`)
      await writer.append([{ topic: stage.derivedTopic.name, partition: 1, key: 'of the question', value }])
    }
    const running = runTogether([run(chainA, codecs.a), run(toy, codecs.toy)], stop)
    while ((await ticksOf(chainAStage, codecs.a)).length === 0 || (await ticksOf(toyStage, codecs.toy)).length === 0)
      await Promise.race([running, new Promise(setImmediate)])
    const atMs = blockAtMs(990)
    const asked = { questionId: 'q', revision: 1, pool: poolOf(1), tier: 'main', atMs, txHashes: [blockHash(1)] }
    await ask(chainAStage, codecs.a, ['SendersAsked', asked])
    await ask(toyStage, codecs.toy, ['NameAsked', { questionId: 'q', revision: 1, atMs }])

    const answersOf = async (stage: Stage, { facts }: IngestCodecs) =>
      (await readRecords(log, stage.factTopic, facts)).flatMap(({ partition, key, record }) =>
        record && stage.isAnswer(record) ? [{ partition, key, ...record.data }] : [],
      )
    const isDone = async () =>
      (await answersOf(chainAStage, codecs.a)).length > 0 &&
      (await answersOf(toyStage, codecs.toy)).length > 0 &&
      (await ticksOf(toyStage, codecs.toy)).length > 1
    while (!(await isDone())) await Promise.race([running, new Promise(setImmediate)])
    stop.abort()
    await running

    const place = { partition: 1, key: 'of the question', questionId: 'q', revision: 1, failure: null }
    const [senders] = await answersOf(chainAStage, codecs.a)
    expect(senders).to.deep.include({ ...place, pool: poolOf(1) })
    const [title] = await answersOf(toyStage, codecs.toy)
    expect(title).to.deep.include({ ...place, title: 'Q' })

    const deposits = (await readRecords(log, toyStage.factTopic, codecs.toy.facts)).filter(
      ({ record }) => record?.type === 'Deposited',
    )
    expect(deposits.map(({ key }) => key)).to.have.members(['ann', 'bob', 'ann'])
    const [first, second] = await ticksOf(toyStage, codecs.toy)
    const noPrice = { ethUsd: null, ethUsdAtMs: null, rulesVersion: 'toy 1' }
    expect(first).to.deep.include({ ...noPrice, seq: 1, blockNumber: 1, blockAtMs: toyAtMs(1) })
    expect(second).to.deep.include({ ...noPrice, seq: 2, blockNumber: 2, blockAtMs: toyAtMs(2) })
    const last = (await ticksOf(chainAStage, codecs.a)).at(-1)
    expect(last).to.include({ blockNumber: 10, ethUsd: 3000, rulesVersion: chainAStage.rulesVersion })
  })
})
