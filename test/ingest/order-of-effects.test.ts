/**
 * Tests pairs of effects of ingest, such as writes, whose order matters. `infra/docs/order-of-effects.md`
 * lists them.
 */
import { expect } from 'chai'
import { pino } from 'pino'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import type { Log, NewRecord } from '../../infra/log/log.ts'
import { chainADefinition } from '../../ingest/chain-a/definition.ts'
import { createSendersLookup } from '../../ingest/chain-a/lookups/senders.ts'
import { chainBNaming } from '../../ingest/chain-b/naming.ts'
import { createChatSource } from '../../ingest/chats/chat-source.ts'
import { chatsDefinition } from '../../ingest/chats/definition.ts'
import type { Reading } from '../../ingest/chats/reader.ts'
import { createIngestCodecs, type IngestCodecs } from '../../ingest/codecs.ts'
import { runLookups } from '../../ingest/lookups/lookups.ts'
import { runMentions } from '../../ingest/mentions/run-mentions.ts'
import { createChainPublisher } from '../../ingest/publish.ts'
import { runIngest } from '../../ingest/run-ingest.ts'
import { isAnswer } from '../../schemas/chain-a/facts.ts'
import { type ChainATypes, chainAStage } from '../../schemas/chain-a/stage.ts'
import { type ChainBTypes, chainBStage } from '../../schemas/chain-b/stage.ts'
import { type ChatTypes, chatsStage } from '../../schemas/chats/stage.ts'
import { tickKey } from '../../schemas/topics.ts'
import { buildTick } from '../support/builders/build-facts.ts'
import { type Effects, expectOrder } from '../support/effects/effects.ts'
import { createHoledLog } from '../support/log/holed-log.ts'
import { recordedLog } from '../support/log/recorded-log.ts'
import { blockAtMs, blockHash, buildPoolAddress, buildRange, buildSwap, poolOf, tokenOf } from './build-range.ts'
import { buildContent, mintOf, postedAtMs } from './mentions/build-post.ts'
import { readRecords } from './read-records.ts'

const logger = pino({ level: 'silent' })
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('the order of effects of ingest', () => {
  let codecs: Readonly<{ a: IngestCodecs<ChainATypes>; b: IngestCodecs<ChainBTypes>; chats: IngestCodecs<ChatTypes> }>
  before(async () => {
    const registry = createMemoryRegistry()
    codecs = {
      a: await createIngestCodecs(chainAStage, registry),
      b: await createIngestCodecs(chainBStage, registry),
      chats: await createIngestCodecs(chatsStage, registry),
    }
  })

  describe('that publishes a chain', () => {
    type World = Readonly<{ log: Log }>
    const nowMs = () => blockAtMs(1000)
    const begin = (): World => ({ log: createHoledLog({ nowMs }) })
    const open = ({ log }: World) =>
      createChainPublisher({ log, codecs: codecs.a, chain: chainADefinition, kind: 'chain', nowMs })
    const seqsOf = async ({ log }: World) =>
      (await readRecords(log, 'chain-a-facts', codecs.a.facts)).flatMap(({ partition, record }) =>
        partition === 0 && record?.type === 'Tick' ? [record.data.seq] : [],
      )

    it('fences the earlier publisher before it reads the cursor: no tick number comes twice', () => {
      type Taken = World & { earlier: Awaited<ReturnType<typeof open>>; next: number }
      return expectOrder<Taken>({
        pairs: [
          ['fence', 'read the cursor'],
          ['read the cursor', 'append facts'],
        ],
        begin: async () => {
          const world = begin()
          const earlier = await open(world)
          await earlier.publish(buildRange(1, 10), null)
          return { ...world, earlier, next: 11 }
        },
        interrupt: async ({ earlier }) => {
          await earlier.publish(buildRange(11, 12), null).catch(() => {})
        },
        run: async ({ log }, effects) => {
          const publisher = await open({
            log: recordedLog(log, effects, {
              openWriter: () => 'fence',
              read: ({ topic }) => (topic === 'chain-a-facts' ? 'read the cursor' : null),
              append: () => 'append facts',
            }),
          })
          await publisher.publish(buildRange((publisher.cursor()?.number ?? 0) + 1, 20), null)
        },
        leaves: async (world) => expect(await seqsOf(world)).to.deep.equal([1, 2]),
      })
    })

    it('appends new addresses before the facts of their range: no facts are lost for want of an address', () => {
      const range = buildRange(1, 10, {
        newAddresses: [buildPoolAddress(1, 5)],
        facts: [buildSwap(1, { blockNumber: 6 })],
      })
      const publish = async (log: Log) => {
        const publisher = await open({ log })
        // A source reads no block twice.
        if (publisher.cursor() === null) await publisher.publish(range, null)
        return publisher
      }
      return expectOrder<World>({
        pairs: [['append addresses', 'append facts']],
        interrupt: 'crash',
        begin,
        run: ({ log }, effects) => {
          const append = ([record]: readonly NewRecord[]) =>
            record?.topic === 'addresses' ? 'append addresses' : 'append facts'
          return publish(recordedLog(log, effects, { append }))
        },
        leaves: async ({ log }) => {
          const { known } = await publish(log)
          expect([...known.book.pools.keys()]).to.deep.equal([poolOf(1)])
          const facts = await readRecords(log, 'chain-a-facts', codecs.a.facts)
          expect(facts.filter(({ record }) => record?.type === 'Swap')).to.have.length(1)
        },
      })
    })
  })

  it('that reads chats: a range is on the log before its read position is stored, and no post is skipped', () => {
    type World = { readonly log: Log; position: number }
    const nowMs = () => postedAtMs + 60_000
    const chat = '-100'
    const read = (world: World, log: Log, keep: (post: number) => Promise<unknown>) => {
      const readings = async function* (): AsyncGenerator<Reading> {
        for (let post = world.position + 1; post <= 3; post++) {
          const { isLate, ...content } = buildContent({ chat, post })
          yield {
            news: [{ chat, changes: [{ type: 'posted', versionAtMs: postedAtMs, post: content }], isTooLong: false }],
            ...{ seen: [chat], refused: [] },
            keep: async () => void (await keep(post)),
          }
        }
      }
      const source = createChatSource({ openReader: async () => ({ lostAfterMs: 1, readings }), nowMs })
      const chain = { ...chatsDefinition, source, lookups: [], readPrice: null }
      return runIngest({ chain, log, codecs: codecs.chats, nowMs, logger, signal: new AbortController().signal })
    }
    const postsIn = (records: readonly NewRecord[]) =>
      records.flatMap(({ key, value }) => {
        const fact = key === tickKey || value === null ? null : codecs.chats.facts.decode(value)
        return fact?.type === 'PostSeen' ? [fact.data.post] : []
      })
    return expectOrder<World>({
      pairs: [1, 2, 3].map((post) => [`append post ${post}`, `store position ${post}`] as const),
      interrupt: 'crash',
      begin: () => ({ log: createHoledLog({ nowMs }), position: 0 }),
      run: (world, effects) => {
        const append = (records: readonly NewRecord[]) =>
          postsIn(records).map((post) => `append post ${post}`)[0] ?? null
        return read(world, recordedLog(world.log, effects, { append }), (post) =>
          effects.perform(`store position ${post}`, () => {
            world.position = post
          }),
        )
      },
      leaves: async (world) => {
        await read(world, world.log, async (post) => {
          world.position = post
        })
        const facts = await readRecords(world.log, 'chat-posts', codecs.chats.facts)
        const posts = facts.flatMap(({ record }) => (record?.type === 'PostSeen' ? [record.data.post] : []))
        expect(posts).to.deep.equal([1, 2, 3])
      },
    })
  })

  it('that answers questions: the earlier run is fenced before the answers are read, and none comes twice', () => {
    type World = Readonly<{ log: Log; answerEarlier: () => Promise<void> }>
    let nowMs = blockAtMs(1000)
    const answersOn = async (log: Log) =>
      (await readRecords(log, 'chain-a-facts', codecs.a.facts)).filter(({ record }) => record && isAnswer(record))
    const begin = async (): Promise<World> => {
      const log = createHoledLog({ nowMs: () => nowMs })
      const asked = { questionId: 'q', revision: 0, pool: poolOf(1), tier: 'main', atMs: nowMs - 60_000 } as const
      const question = codecs.a.derived.encode('SendersAsked', { ...asked, txHashes: [blockHash(1)] })
      const stage = await log.openWriter('stage')
      await stage.append([{ topic: 'chain-a-derived', partition: 0, key: tokenOf(1), value: question }])
      const answer = { questionId: 'q', revision: 0, pool: poolOf(1), senders: null, failure: 'x', answeredAtMs: nowMs }
      const value = codecs.a.facts.encode('SendersAnswered', answer)
      const earlier = await log.openWriter('lookups-chain-a', { isTransactional: false })
      const answerEarlier = () => earlier.append([{ topic: 'chain-a-facts', partition: 0, key: tokenOf(1), value }])
      return { log, answerEarlier }
    }
    const run = async ({ log }: World, effects: Effects) => {
      const stop = new AbortController()
      await runLookups({
        chain: {
          stage: chainAStage,
          lookups: [createSendersLookup(async (hashes) => new Map(hashes.map((hash) => [hash, tokenOf(9)])))],
        },
        log: recordedLog(log, effects, {
          openWriter: () => 'fence',
          read: ({ topic }) => (topic === 'chain-a-facts' ? 'read the answers' : null),
          append: () => 'append the answer',
        }),
        ...{ codecs: codecs.a, nowMs: () => nowMs, logger, signal: stop.signal },
        delay: async (ms) => {
          nowMs += ms
          await nextTurn()
          if ((await answersOn(log)).length > 0) stop.abort()
        },
      })
    }
    return expectOrder<World>({
      pairs: [
        ['fence', 'read the answers'],
        ['read the answers', 'append the answer'],
      ],
      interrupt: ({ answerEarlier }) => answerEarlier().catch(() => {}),
      ...{ begin, run },
      leaves: async ({ log }) => expect(await answersOn(log)).to.have.length(1),
    })
  })

  it('that reads mentions: the earlier run is fenced before its facts are read, and no mention comes twice', () => {
    type World = Readonly<{ log: Log; writeEarlier: () => Promise<void> }>
    const nowMs = () => postedAtMs + 60_000
    const { factTopic } = chainBStage
    const mentionsOn = async (log: Log) =>
      (await readRecords(log, 'chain-b-facts', codecs.b.facts)).filter(({ record }) => record?.type === 'Mentioned')
    const mention = async (log: Log) => {
      const stop = new AbortController()
      const idle: Log = { ...log, waitForAppend: async () => stop.abort() }
      await runMentions({
        ...{ log: idle, posts: { topic: chatsStage.factTopic, codec: codecs.chats.facts } },
        chains: [{ name: 'chain-b', topic: factTopic, codec: codecs.b.facts, naming: chainBNaming }] as never,
        ...{ addresses: codecs.a.addresses as never, nowMs, signal: stop.signal, logger },
        delay: nextTurn,
      })
    }
    const begin = async (): Promise<World> => {
      const log = createHoledLog({ nowMs })
      const tick = buildTick({ seq: 1, blockAtMs: postedAtMs, knownAtMs: postedAtMs })
      const place = { blockNumber: 1, blockHash: '0x', blockAtMs: postedAtMs } as const
      const post = codecs.chats.facts.encode('PostSeen', { ...buildContent({ text: mintOf(5) }), ...place })
      const chats = await log.openWriter('ingest-chats')
      await chats.append([
        { topic: 'chat-posts', partition: 0, key: '-100', value: post },
        { topic: 'chat-posts', partition: 0, key: tickKey, value: codecs.chats.facts.encode('Tick', tick) },
      ])
      const chain = await log.openWriter('ingest-chain-b')
      const partitions = Array.from({ length: factTopic.partitionCount }, (_, partition) => partition)
      const value = codecs.b.facts.encode('Tick', tick)
      await chain.append(partitions.map((partition) => ({ topic: factTopic.name, partition, key: tickKey, value })))
      // Records what an earlier run would write about the post. `writeEarlier` later writes these records,
      // during the run under test.
      const written: NewRecord[] = []
      const earlier = await log.openWriter('mentions', { isTransactional: false })
      const seen: Log = {
        ...log,
        openWriter: async () => ({ ...earlier, append: async (records) => void written.push(...records) }),
      }
      await mention(seen)
      return { log, writeEarlier: () => earlier.append(written.filter(({ topic }) => topic === factTopic.name)) }
    }
    return expectOrder<World>({
      pairs: [
        ['fence', 'read the mentions'],
        ['read the mentions', 'append the mention'],
      ],
      interrupt: ({ writeEarlier }) => writeEarlier().catch(() => {}),
      begin,
      run: ({ log }, effects) =>
        mention(
          recordedLog(log, effects, {
            openWriter: () => 'fence',
            read: ({ topic }) => (topic === factTopic.name ? 'read the mentions' : null),
            append: ([record]) => (record?.topic === factTopic.name ? 'append the mention' : null),
          }),
        ),
      leaves: async ({ log }) => expect(await mentionsOn(log)).to.have.length(1),
    })
  })
})
