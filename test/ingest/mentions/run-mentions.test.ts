import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import { hexOfBase58 } from '../../../infra/base58.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { OperationError } from '../../../infra/errors.ts'
import type { Log, NewRecord } from '../../../infra/log/log.ts'
import { chainANaming } from '../../../ingest/chain-a/naming.ts'
import { chainBNaming } from '../../../ingest/chain-b/naming.ts'
import { createIngestCodecs, type IngestCodecs } from '../../../ingest/codecs.ts'
import type { CodeReader } from '../../../ingest/mentions/codes.ts'
import type { TokenNaming } from '../../../ingest/mentions/naming.ts'
import { type MentionOptions, runMentions } from '../../../ingest/mentions/run-mentions.ts'
import type { CardRead, Mentioned } from '../../../schemas/calls/facts.ts'
import { namingLimits } from '../../../schemas/calls/rules.ts'
import { type ChainATypes, chainAStage } from '../../../schemas/chain-a/stage.ts'
import { type ChainBTypes, chainBStage } from '../../../schemas/chain-b/stage.ts'
import type { PostContent } from '../../../schemas/chats/facts.ts'
import { type ChatTypes, chatsStage } from '../../../schemas/chats/stage.ts'
import type { StageRecord } from '../../../schemas/stage.ts'
import { tickKey } from '../../../schemas/topics.ts'
import type { Hex } from '../../../schemas/units.ts'
import { buildTick } from '../../support/builders/build-facts.ts'
import { createHoledLog } from '../../support/log/holed-log.ts'
import { buildPoolAddress } from '../build-range.ts'
import { readRecords } from '../read-records.ts'
import { buildContent, evmOf, mintOf, postedAtMs as startAtMs } from './build-post.ts'
import { sampleCard } from './chat-samples.ts'

const hourMs = 3_600_000
const token = (name: number) => evmOf(900 + name)
const pool = (name: number): Hex => `0x${name.toString(16).padStart(64, 'c')}`

type Codecs = Readonly<{ a: IngestCodecs<ChainATypes>; b: IngestCodecs<ChainBTypes>; chats: IngestCodecs<ChatTypes> }>
type Found = Readonly<{ chain: string; partition: number; key: string; type: string; data: Mentioned & CardRead }>

describe('mentions', () => {
  let nowMs: number
  let log: Log
  let codecs: Codecs
  let seq: number
  let told: unknown[]

  beforeEach(async () => {
    const registry = createMemoryRegistry()
    codecs = {
      a: await createIngestCodecs(chainAStage, registry),
      b: await createIngestCodecs(chainBStage, registry),
      chats: await createIngestCodecs(chatsStage, registry),
    }
    begin()
  })

  function begin(seed = 1) {
    nowMs = startAtMs
    seq = 0
    told = []
    log = createHoledLog({ nowMs: () => nowMs, seed })
  }

  /** Makes the record of a post, as ingest of the chats would write it now. */
  function read(type: 'PostSeen' | 'PostEdited', content: Partial<PostContent>): NewRecord {
    seq++
    const place = { blockNumber: seq, blockHash: '0x', blockAtMs: nowMs } as const
    const data = { ...buildContent({ post: seq, ...content }), ...place }
    const { facts } = codecs.chats
    const value =
      type === 'PostSeen' ? facts.encode('PostSeen', data) : facts.encode('PostEdited', { ...data, editedAtMs: nowMs })
    return { topic: 'chat-posts', partition: 0, key: data.chat, value }
  }

  /** Appends records and a tick, as ingest of the chats does. */
  async function append(records: readonly NewRecord[]) {
    const value = codecs.chats.facts.encode('Tick', buildTick({ seq, blockAtMs: nowMs, knownAtMs: nowMs }))
    const writer = await log.openWriter('ingest-chats')
    await writer.append([...records, { topic: 'chat-posts', partition: 0, key: tickKey, value }])
    await tickChains()
  }
  const post = (content: Partial<PostContent>) => append([read('PostSeen', content)])
  const edit = (content: Partial<PostContent>) => append([read('PostEdited', content)])

  /**
   * Writes a tick to the facts of each chain. A restart finds its position in these facts by the times of the
   * ticks.
   */
  async function tickChains() {
    for (const { topic, codec } of [
      { topic: chainAStage.factTopic, codec: codecs.a.facts },
      { topic: chainBStage.factTopic, codec: codecs.b.facts },
    ]) {
      const writer = await log.openWriter(`ingest-${topic.name}`)
      const value = codec.encode('Tick', buildTick({ seq: 1, blockAtMs: nowMs, knownAtMs: nowMs }))
      const partitions = Array.from({ length: topic.partitionCount }, (_, partition) => partition)
      await writer.append(partitions.map((partition) => ({ topic: topic.name, partition, key: tickKey, value })))
    }
  }

  async function know(key: string, { type, data }: StageRecord) {
    const writer = await log.openWriter('books')
    await writer.append([{ topic: 'addresses', partition: 0, key, value: codecs.a.addresses.encode(type, data) }])
  }
  async function forget(key: string) {
    const writer = await log.openWriter('books')
    await writer.append([{ topic: 'addresses', partition: 0, key, value: null }])
  }
  const knowPool = (name: number) => {
    const { data } = buildPoolAddress(1, 1)
    return know(pool(name), { type: 'PoolAddress', data: { ...data, pool: pool(name), token: token(name) } })
  }
  const hexOf = (address: string): Hex => hexOfBase58(address, 32) ?? '0x'
  const knowMint = (mint: string, curve: string) => {
    const data = {
      mint: hexOf(mint),
      curve: hexOf(curve),
      sinceSlot: 1,
      seenAtMs: 1,
      launchSlot: null,
      launchAtMs: null,
    }
    return know(`chain-b/${data.mint}`, { type: 'MintAddress', data })
  }

  async function facts(): Promise<readonly Found[]> {
    const of = async (chain: string, topic: 'chain-a-facts' | 'chain-b-facts', codec: IngestCodecs['facts']) =>
      (await readRecords(log, topic, codec)).flatMap(({ partition, key, record }) =>
        record && record.type !== 'Tick'
          ? [{ chain, partition, key, type: record.type, data: record.data as Mentioned & CardRead }]
          : [],
      )
    const ofA = await of('chain-a', 'chain-a-facts', codecs.a.facts as IngestCodecs['facts'])
    return [...ofA, ...(await of('chain-b', 'chain-b-facts', codecs.b.facts as IngestCodecs['facts']))]
  }
  const said = async () => (await facts()).map(({ chain, key, type, data }) => [chain, data.post, key, type])

  type Running = Readonly<{
    on?: Log
    chains?: readonly string[]
    /** Called between two checks of the posts that wait for the launch of their token. */
    meanwhile?: (nowMs: number) => Promise<void>
    readCode?: CodeReader
    followedTokensMax?: number
  }>

  const optionsOf = (
    { on = log, chains = ['chain-a', 'chain-b'], meanwhile, readCode, followedTokensMax }: Running,
    signal: AbortSignal,
  ): MentionOptions => {
    const all = [
      {
        ...{ name: 'chain-a', topic: chainAStage.factTopic, codec: codecs.a.facts, naming: chainANaming('robinhood') },
        ...(readCode && { readCode }),
      },
      { name: 'chain-b', topic: chainBStage.factTopic, codec: codecs.b.facts, naming: chainBNaming },
    ] as unknown as MentionOptions['chains']
    return {
      log: on,
      posts: { topic: chatsStage.factTopic, codec: codecs.chats.facts },
      chains: all.filter(({ name }) => chains.includes(name)),
      addresses: codecs.a.addresses,
      nowMs: () => nowMs,
      ...(followedTokensMax && { followedTokensMax }),
      signal,
      logger: { info: (context: unknown) => told.push(context) } as unknown as MentionOptions['logger'],
      delay: async (ms) => {
        nowMs += ms
        await meanwhile?.(nowMs)
        await nextTurn()
      },
    }
  }

  /**
   * Runs until all posts are handled and the program waits for the next post. Earlier waits only move the
   * clock.
   */
  async function run(running: Running = {}) {
    const stop = new AbortController()
    const on = running.on ?? log
    const { endOffset } = await on.bounds('chat-posts', 0)
    const idle: Log = {
      ...on,
      waitForAppend: async (from, signal) => {
        if (from.topic === 'chat-posts' && from.offset >= endOffset - 3) stop.abort()
        await on.waitForAppend(from, signal)
      },
    }
    await runMentions(optionsOf({ ...running, on: idle }, stop.signal))
  }

  it('are facts of the token’s chain, under its key', async () => {
    await knowPool(1)
    await knowMint(mintOf(2), mintOf(3))
    await post({ text: `first ${token(1)}` })
    await post({ text: `second ${mintOf(2)}` })
    await run()
    expect(await said()).to.deep.equal([
      ['chain-a', 1, token(1), 'Mentioned'],
      ['chain-b', 2, mintOf(2), 'Mentioned'],
    ])
    for (const { data } of await facts()) expect(data).to.include({ isTracked: true, seenAtMs: startAtMs })
  })

  describe('of addresses that nothing but their form speaks for', () => {
    const [withCode, without] = [evmOf(5), evmOf(6)]
    let asked: string[]
    const reading: CodeReader = async (address) => {
      asked.push(address)
      return address === withCode
    }
    beforeEach(() => {
      asked = []
    })
    const codesSaid = async () =>
      (await facts()).flatMap(({ key, type, data }) => (type === 'Mentioned' ? [[key, data.hasCode] as const] : []))

    it('say whether the node has a contract there', async () => {
      await post({ text: withCode })
      await post({ text: without })
      await run({ readCode: reading })
      expect(await codesSaid()).to.deep.equal([
        [withCode, true],
        [without, false],
      ])
      expect(asked).to.deep.equal([withCode, without])
    })

    it('say nothing of it where nobody is asked, or the node does not answer', async () => {
      await post({ text: withCode })
      await run()
      await post({ text: without })
      await run({ readCode: async () => Promise.reject(new OperationError('node_unreachable', 'away')) })
      expect(await codesSaid()).to.deep.equal([
        [withCode, null],
        [without, null],
      ])
    })

    it('are the only ones that are asked about', async () => {
      await knowPool(1)
      await post({ text: `tracked ${token(1)}` })
      await post({ text: `named https://dexscreener.com/robinhood/${without}` })
      await post({ text: `elsewhere https://dexscreener.com/base/${evmOf(7)}` })
      await post({ text: mintOf(3) })
      await post({ text: `${sampleCard('phanes-2026-a').text}\n${evmOf(8)}`, posterName: 'phanes_bot' })
      await run({ readCode: reading })
      expect(asked).to.deep.equal([])
      expect((await codesSaid()).every(([, hasCode]) => hasCode === null)).to.equal(true)
    })

    it('do not hold up posts of other tokens while a node hangs', async () => {
      await knowPool(1)
      await post({ text: without })
      await post({ text: `tracked ${token(1)}` })
      const stop = new AbortController()
      const hanging: CodeReader = (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      const running = runMentions(optionsOf({ readCode: hanging }, stop.signal))
      while ((await facts()).length === 0) await nextTurn()
      expect((await facts()).map(({ key }) => key)).to.deep.equal([token(1)])
      while ((await facts()).length === 1) await nextTurn()
      stop.abort()
      await running
      expect((await codesSaid()).find(([key]) => key === without)).to.deep.equal([without, null])
    })

    it('count as untracked ones to what a chat may name in an hour', async () => {
      const { ofPoster } = namingLimits.untracked
      for (let name = 0; name < ofPoster + 3; name++) await post({ text: evmOf(100 + name) })
      await run({ readCode: reading })
      expect((await codesSaid()).map(([, hasCode]) => hasCode)).to.deep.equal(Array(ofPoster).fill(false))
    })

    it('are asked about again after a crash', async () => {
      await post({ text: without })
      const crashing: Log = {
        ...log,
        openWriter: async (id, options) => ({
          ...(await log.openWriter(id, options)),
          append: async () => Promise.reject(new OperationError('log_failed', 'crash')),
        }),
      }
      expect(await run({ on: crashing, readCode: reading }).catch((error: Error) => error.message)).to.equal('crash')
      await run({ readCode: reading })
      expect([await codesSaid(), asked.length]).to.deep.equal([[[without, false]], 2])
    })
  })

  it('that come into the log hours after they were posted are late', async () => {
    await knowPool(1)
    const late = read('PostSeen', { text: token(1), postedAtMs: startAtMs })
    nowMs += 3 * hourMs
    await append([late])
    await run()
    expect((await facts())[0]?.data).to.include({ isLate: true, seenAtMs: startAtMs + 3 * hourMs })
  })

  describe('that are calls', () => {
    const spanMs = 48 * hourMs + 900_000
    type Entry = Readonly<{ key: string; spans: unknown; offset: number }>
    /** Returns the address book's entries about called tokens, in the order of writing. */
    const followed = async (): Promise<readonly Entry[]> =>
      (await readRecords(log, 'addresses', codecs.a.addresses)).flatMap(({ key, record }, offset) => {
        if (!key.startsWith('followed-')) return []
        const data = record?.data as Readonly<{ followings: readonly object[] }> | undefined
        return [{ key, offset, spans: data?.followings.map((each) => ({ ...each })) ?? 'removed' }]
      })
    const spansOf = async () => (await followed()).map(({ key, spans }) => [key, spans])

    it('are told to ingest of their chains, which follows the markets of their tokens longer', async () => {
      await knowPool(1)
      await post({ text: `first ${token(1)}` })
      await post({ text: `second ${mintOf(2)}`, postedAtMs: startAtMs - 5_000 })
      await run()
      expect(await spansOf()).to.deep.equal([
        [`followed-chain-a/${token(1)}`, [{ sinceMs: startAtMs, untilMs: startAtMs + spanMs }]],
        [`followed-chain-b/${mintOf(2)}`, [{ sinceMs: startAtMs + 5_000, untilMs: startAtMs - 5_000 + spanMs }]],
      ])
      const answered = (await facts()).map(({ data }) => data.answeredAtMs)
      expect(answered, 'both reckon with the same instant').to.deep.equal([startAtMs, startAtMs + 5_000])
    })

    it('alone are: recalls and brags keep nothing', async () => {
      await knowPool(1)
      await post({ text: `recalled ${token(1)}` })
      await post({ text: `${token(1)} is up 5x from entry` })
      await run()
      expect((await facts()).map(({ data }) => data.kind)).to.deep.equal(['recall', 'brag'])
      expect(await followed()).to.deep.equal([])
    })

    it('keep the markets of so many tokens of a chain at one time, and say of further ones that they keep none', async () => {
      const call = async (...tokens: readonly string[]) => {
        for (const named of tokens) await post({ text: `call ${named}`, postedAtMs: nowMs })
        await run({ followedTokensMax: 2 })
      }
      const told = async () => (await facts()).map(({ key, data }) => [key, data.isFollowed])
      for (const name of [1, 2, 3]) await knowPool(name)
      await call(token(1), token(2), token(3), token(1))
      const both = [token(1), true]
      expect(await told()).to.have.deep.members([both, both, [token(2), true], [token(3), false]])
      const keys = new Set((await followed()).map(({ key }) => key))
      expect([...keys]).to.have.members([1, 2].map((name) => `followed-chain-a/${token(name)}`))
      nowMs += spanMs
      await call(token(3))
      expect((await told()).filter(([key, isFollowed]) => key === token(3) && isFollowed)).to.have.lengthOf(1)
    })

    it('lengthen what earlier ones began, over restarts too', async () => {
      await knowPool(1)
      await post({ text: `first ${token(1)}` })
      await run()
      nowMs += 40 * hourMs
      await post({ text: `again ${token(1)}`, postedAtMs: nowMs })
      await run()
      nowMs += 60 * hourMs
      await post({ text: `much later ${token(1)}`, postedAtMs: nowMs })
      await run()
      const [first, again, later] = (await followed()).map(({ spans }) => spans)
      const untilMs = startAtMs + 40 * hourMs + spanMs
      expect(first).to.deep.equal([{ sinceMs: startAtMs, untilMs: startAtMs + spanMs }])
      expect(again).to.deep.equal([{ sinceMs: startAtMs, untilMs }])
      expect(later).to.deep.equal([
        { sinceMs: startAtMs, untilMs },
        { sinceMs: startAtMs + 100 * hourMs, untilMs: startAtMs + 100 * hourMs + spanMs },
      ])
    })

    it('are told before they are written: a crash in between leaves a token followed for nothing, and loses no mention', async () => {
      await knowPool(1)
      await post({ text: `first ${token(1)}` })
      const crashing: Log = {
        ...log,
        openWriter: async (id, options) => {
          const writer = await log.openWriter(id, options)
          const append: typeof writer.append = async (records) => {
            if (records.some(({ topic }) => topic === 'chain-a-facts')) throw new OperationError('log_failed', 'crash')
            await writer.append(records)
          }
          return { ...writer, append }
        },
      }
      expect(await run({ on: crashing }).catch((error: Error) => error.message)).to.equal('crash')
      expect([await said(), (await followed()).length]).to.deep.equal([[], 1])
      nowMs += 60_000
      await run()
      expect(await said()).to.deep.equal([['chain-a', 1, token(1), 'Mentioned']])
      expect((await spansOf()).at(-1)?.[1], 'since the first attempt').to.deep.equal([
        { sinceMs: startAtMs, untilMs: startAtMs + spanMs },
      ])
    })

    it('are forgotten a week after the markets are followed no more', async () => {
      await knowPool(1)
      await post({ text: `first ${token(1)}` })
      await run()
      const goOn = async (ms: number) => {
        nowMs += ms
        // This post waits for the launch of its token, and the wait moves the clock.
        await post({ text: evmOf(7), postedAtMs: nowMs })
        await run({
          meanwhile: async () => {
            nowMs += hourMs
          },
        })
        return (await spansOf()).filter(([key]) => key === `followed-chain-a/${token(1)}`).map(([, spans]) => spans)
      }
      expect(await goOn(8 * 24 * hourMs)).to.have.length(1)
      const later = await goOn(2 * 24 * hourMs)
      expect([later.length, later.at(-1)]).to.deep.equal([2, 'removed'])
    })
  })

  it('name tokens by their pools and curves, of both chains', async () => {
    await knowPool(1)
    await knowMint(mintOf(2), mintOf(3))
    await post({ text: `${pool(1)} ${mintOf(3)}` })
    await run()
    expect(await said()).to.deep.equal([
      ['chain-a', 1, token(1), 'Mentioned'],
      ['chain-b', 1, mintOf(2), 'Mentioned'],
    ])
  })

  it('are of tokens that nobody tracks too, after a wait for their launch', async () => {
    await post({ text: evmOf(5) })
    await post({ text: mintOf(5) })
    await run()
    expect(await said()).to.deep.equal([
      ['chain-a', 1, evmOf(5), 'Mentioned'],
      ['chain-b', 2, mintOf(5), 'Mentioned'],
    ])
    for (const { data } of await facts())
      expect(data).to.include({ isTracked: false, answeredAtMs: startAtMs + 10_000 })
  })

  it('wait for a launch that ingest reads a little later, and go on at once', async () => {
    await post({ text: `${pool(1)}` })
    await run({
      meanwhile: async (atMs) => {
        if (atMs === startAtMs + 3_000) await knowPool(1)
      },
    })
    expect(await said()).to.deep.equal([['chain-a', 1, token(1), 'Mentioned']])
    expect((await facts())[0]?.data).to.include({ isTracked: true, answeredAtMs: startAtMs + 3_000 })
  })

  it('of a pool that nobody knows are none', async () => {
    await post({ text: pool(1) })
    await run()
    expect(await said()).to.deep.equal([])
  })

  it('of a pool that was removed from the book are none', async () => {
    await knowPool(1)
    await forget(pool(1))
    await post({ text: `${pool(1)} ${token(1)}` })
    await run()
    expect((await facts()).map(({ key, data }) => [key, data.isTracked])).to.deep.equal([[token(1), false]])
  })

  it('of a known token do not wait behind one that is not known', async () => {
    await knowMint(mintOf(2), mintOf(3))
    await post({ text: mintOf(5) })
    await post({ text: mintOf(2) })
    await run()
    const answered = (await facts()).map(({ key, data }) => [key, data.answeredAtMs])
    expect(answered).to.have.deep.members([
      [mintOf(2), startAtMs],
      [mintOf(5), startAtMs + 10_000],
    ])
  })

  it('of one token keep the order of its posts', async () => {
    await knowMint(mintOf(2), mintOf(3))
    await post({ text: `${mintOf(5)} ${mintOf(2)}` })
    await post({ text: mintOf(2) })
    await run()
    const posts = (await facts()).filter(({ key }) => key === mintOf(2)).map(({ data }) => data.post)
    expect(posts).to.deep.equal([1, 2])
  })

  it('that are old when they are read wait for nothing', async () => {
    await post({ text: mintOf(5) })
    nowMs += 10_000
    await run()
    expect((await facts())[0]?.data.answeredAtMs).to.equal(startAtMs + 10_000)
  })

  it('are of the chains alone that are configured', async () => {
    await post({ text: `${evmOf(5)} ${mintOf(5)}` })
    await run({ chains: ['chain-b'] })
    expect(await said()).to.deep.equal([['chain-b', 1, mintOf(5), 'Mentioned']])
  })

  it('of an edit are those of the addresses that it brought, at its own time', async () => {
    await post({ text: `soon ${mintOf(5)}` })
    nowMs += 60_000
    await edit({ post: 1, text: `now ${mintOf(5)} and ${mintOf(6)}` })
    await run()
    const found = (await facts()).map(({ key, data }) => [key, data.postedAtMs, data.isEditedIn])
    expect(found).to.have.deep.members([
      [mintOf(5), startAtMs, false],
      [mintOf(6), startAtMs + 60_000, true],
    ])
  })

  it('of an edit after a restart are those that the post did not name before', async () => {
    await post({ text: mintOf(5) })
    await run()
    nowMs += 5 * hourMs
    await post({ text: mintOf(7) })
    await run()
    await edit({ post: 1, text: `${mintOf(5)} 🚀` })
    await edit({ post: 1, text: `${mintOf(5)} ${mintOf(6)}` })
    await run()
    const found = (await facts()).map(({ key, data }) => [key, data.isEditedIn])
    expect(found).to.have.deep.members([
      [mintOf(5), false],
      [mintOf(7), false],
      [mintOf(6), true],
    ])
  })

  it('are none of an edit half a day later, when the first words of the post may be forgotten', async () => {
    await knowMint(mintOf(5), mintOf(105))
    await knowMint(mintOf(6), mintOf(106))
    await post({ text: 'soon' })
    nowMs += 12 * hourMs
    await edit({ post: 1, text: mintOf(5) })
    await run()
    nowMs += 1
    await edit({ post: 1, text: mintOf(6) })
    await run()
    expect((await facts()).map(({ key }) => key)).to.deep.equal([mintOf(5)])
  })

  it('of a card that is edited are one card for each version, and one call', async () => {
    const { text, links = [] } = sampleCard('soul-early-2026-09-08-a')
    const entities = links.map((url) => ({ offset: 0, length: 1, url }))
    await post({ text, entities })
    nowMs += 20_000
    await edit({ post: 1, text: text.replace('596', '700'), entities })
    await run()
    const found = (await facts()).map(({ type, data }) => [type, data.holders ?? null, data.editedAtMs ?? null])
    expect(found).to.deep.equal([
      ['Mentioned', null, null],
      ['CardRead', 596, null],
      ['CardRead', 700, startAtMs + 20_000],
    ])
  })

  describe('of scanner bots', () => {
    const counted = async () =>
      (await readRecords(log, 'chat-posts', codecs.chats.facts)).flatMap(({ key, record }) =>
        record?.type === 'CardsCounted' ? [[key, record.data.bots.map((bot) => ({ ...bot }))]] : [],
      )
    const cardOf = (text: string): Partial<PostContent> => ({ text, posterName: 'PhanesGoldBot', replyTo: 99 })
    const read1 = cardOf(sampleCard('phanes-2025-12-blank-rows').text)
    const unread1 = cardOf(`a layout of tomorrow ${mintOf(5)}`)

    /** Moves the clock without a new post. */
    const pass = async (ms: number) => {
      nowMs += ms
      await append([])
    }

    it('are counted once their minute is over, and so are those that could not be read', async () => {
      await post(read1)
      await post(unread1)
      await post({ text: mintOf(5) })
      await run()
      expect(await counted()).to.deep.equal([])
      await pass(60_000)
      await run()
      expect(await counted()).to.deep.equal([['-100', [{ bot: 'phanes', posts: 2, unread: 1 }]]])
    })

    for (const runs of [[0], [1], [2], [3], [0, 1, 2, 3]])
      it(`are counted once, with runs that end after the steps ${runs}`, async () => {
        const steps = [() => post(read1), () => post(unread1), () => pass(60_000), () => post(read1)]
        for (const [index, step] of steps.entries()) {
          await step()
          nowMs += 100
          if (runs.includes(index)) await run()
        }
        await pass(60_000)
        await run()
        await run()
        expect(await counted()).to.deep.equal([
          ['-100', [{ bot: 'phanes', posts: 2, unread: 1 }]],
          ['-100', [{ bot: 'phanes', posts: 1, unread: 0 }]],
        ])
      })

    it('are read again for the counts alone: what is known by now makes no mention of an old post', async () => {
      const market = mintOf(8)
      const entities = [{ offset: 0, length: 1, url: `https://axiom.trade/meme/${market}` }]
      await post({ text: 'see this', entities })
      nowMs += 600_000
      await post({ text: mintOf(5) })
      await run()
      await knowMint(mintOf(7), market)
      await run()
      expect(await said()).to.deep.equal([['chain-b', 2, mintOf(5), 'Mentioned']])
    })
  })

  describe('of an address without a network', () => {
    const address = evmOf(40)
    const cardOn = (network: string, content: Partial<PostContent> = {}): Partial<PostContent> => ({
      text: sampleCard('phanes-2025-12-blank-rows-bsc').text.replace(/0x[0-9a-f]{40}/, address),
      ...{ poster: '9', posterName: 'PhanesGoldBot', replyTo: 1 },
      entities: [{ offset: 0, length: 1, url: `https://dexscreener.com/${network}/${address}` }],
      ...content,
    })

    it('are none where the card that answers a second later names another network', async () => {
      await post({ text: address })
      nowMs += 1_000
      await post(cardOn('bsc'))
      await run()
      expect(await said()).to.deep.equal([])
    })

    it('are of ours where the card names it', async () => {
      await post({ text: address })
      nowMs += 1_000
      await post(cardOn('robinhood'))
      await run()
      expect(await said()).to.deep.equal([
        ['chain-a', 1, address, 'Mentioned'],
        ['chain-a', 2, address, 'CardRead'],
      ])
    })

    const otherCards: readonly Readonly<[string, Partial<PostContent>]>[] = [
      ['in another chat', { chat: '-200' }],
      ['that a person forwards', { posterName: null, replyTo: null }],
      ['of a bot that nobody knows', { posterName: 'phanes_b0t' }],
    ]
    for (const [name, content] of otherCards)
      it(`follow no card ${name}`, async () => {
        await post({ text: address })
        await post(cardOn('bsc', content))
        await run()
        expect(await said()).to.deep.equal([['chain-a', 1, address, 'Mentioned']])
      })

    it('are those of a token that ingest knows, whatever a card says', async () => {
      await knowPool(1)
      await append([
        read('PostSeen', { text: token(1) }),
        read('PostSeen', {
          ...cardOn('bsc'),
          entities: [{ offset: 0, length: 1, url: `https://dexscreener.com/bsc/${token(1)}` }],
        }),
      ])
      await run()
      expect(await said()).to.deep.equal([['chain-a', 1, token(1), 'Mentioned']])
    })

    it('stay as they were written where the card comes later, and it is no card of that token', async () => {
      await post({ text: address })
      await run()
      expect(await said()).to.deep.equal([['chain-a', 1, address, 'Mentioned']])
      await post(cardOn('bsc'))
      await run()
      expect(await said()).to.deep.equal([['chain-a', 1, address, 'Mentioned']])
    })

    it('follow the card after a stop too, in whatever batches the posts are read', async () => {
      for (const seed of [1, 2, 3, 4, 5]) {
        begin(seed)
        for (let number = 0; number < 30; number++) await post({ text: `gm ${number}` })
        await post({ text: address })
        nowMs += 2_000
        await post(cardOn('bsc', { replyTo: seq }))
        nowMs += hourMs
        const small: Log = { ...log, read: (from, options) => log.read(from, { ...options, bytesMax: 1 }) }
        await run({ on: small })
        expect(await said()).to.deep.equal([])
      }
    })
  })

  describe('of a card that names no address', () => {
    const card = { text: sampleCard('trench-007dog').text, poster: '9', posterName: 'TrenchScannerBot' }

    it('are of the token of the post that it answers, which may be waiting', async () => {
      await post({ text: mintOf(5) })
      await post({ ...card, replyTo: 1 })
      await run()
      expect(await said()).to.deep.equal([
        ['chain-b', 1, mintOf(5), 'Mentioned'],
        ['chain-b', 2, mintOf(5), 'CardRead'],
      ])
    })

    it('are so after a restart too', async () => {
      await post({ text: evmOf(5) })
      await run()
      nowMs += 20_000
      await edit({ ...card, post: 2, replyTo: 1 })
      await run()
      expect(await said()).to.deep.equal([
        ['chain-a', 1, evmOf(5), 'Mentioned'],
        ['chain-a', 2, evmOf(5), 'CardRead'],
      ])
    })

    it('are none where that post names several tokens, or none that is known', async () => {
      await post({ text: `${mintOf(5)} ${mintOf(6)}` })
      await post({ ...card, replyTo: 1 })
      await post({ ...card, replyTo: 77 })
      await run()
      expect((await facts()).map(({ type }) => type)).to.deep.equal(['Mentioned', 'Mentioned'])
    })
  })

  it('are written once, however often it is started again', async () => {
    await knowPool(1)
    await post({ text: `${token(1)} ${mintOf(5)}` })
    await run()
    await run()
    nowMs += hourMs
    await run()
    await post({ text: token(1) })
    await run()
    expect(await said()).to.deep.equal([
      ['chain-a', 1, token(1), 'Mentioned'],
      ['chain-a', 2, token(1), 'Mentioned'],
      ['chain-b', 1, mintOf(5), 'Mentioned'],
    ])
  })

  it('of a market that stood for its token are not said again once the book knows it', async () => {
    await post({ text: mintOf(3) })
    await run()
    await knowMint(mintOf(2), mintOf(3))
    await run()
    expect((await facts()).map(({ key }) => key)).to.deep.equal([mintOf(3)])
  })

  it('of posts while it did not run are read back for half a day', async () => {
    await post({ text: mintOf(5) })
    nowMs += hourMs
    await post({ text: mintOf(6) })
    nowMs += 12 * hourMs
    await run()
    expect((await facts()).map(({ key }) => key)).to.deep.equal([mintOf(6)])
  })

  it('wait for the tick behind their posts', async () => {
    const record = read('PostSeen', { text: mintOf(5) })
    const writer = await log.openWriter('ingest-chats')
    await writer.append([record])
    nowMs += 20_000
    await run()
    expect(await said()).to.deep.equal([])
    await append([])
    await run()
    expect(await said()).to.deep.equal([['chain-b', 1, mintOf(5), 'Mentioned']])
  })

  it('end with the failure of a writer that a later run replaced', async () => {
    const stop = new AbortController()
    const first = runMentions(optionsOf({}, stop.signal)).catch((error: unknown) => error)
    await nextTurn()
    await post({ text: 'gm' })
    await log.openWriter('mentions', { isTransactional: false })
    await post({ text: mintOf(5) })
    expect(await first).to.have.property('code', 'writer_fenced')
  })

  describe('of a run that dies between its writes', () => {
    /**
     * Returns a log whose first appends write only a part of their records, and then fail. `shares` gives
     * each part, from 0 to 1. Later appends succeed.
     */
    function tornLog(shares: number[]): Log {
      return {
        ...log,
        openWriter: async (writerId, options) => {
          const writer = await log.openWriter(writerId, options)
          return {
            ...writer,
            append: async (records) => {
              const share = shares.shift()
              if (share === undefined) return writer.append(records)
              const partitions = [...new Set(records.map(({ topic, partition }) => `${topic}/${partition}`))]
              // Only the last partitions are written, which is the harder case.
              const reached = partitions.slice(Math.ceil(partitions.length * (1 - share)))
              const kept = records.filter(({ topic, partition }) => reached.includes(`${topic}/${partition}`))
              if (kept.length > 0) await writer.append(kept)
              throw new OperationError('log_unavailable', 'the connection is lost')
            },
          }
        },
      }
    }

    const anyPost = fc.record({
      tokens: fc.array(fc.nat(12), { minLength: 1, maxLength: 4 }),
      isHex: fc.boolean(),
      pauseMs: fc.constantFrom(0, 0, 1_000, 9_000, 40_000, 70_000),
      editOf: fc.option(fc.nat(20), { freq: 3 }),
    })

    const plans = fc.record({
      posts: fc.array(anyPost, { minLength: 1, maxLength: 20 }),
      shares: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }),
      runEvery: fc.integer({ min: 1, max: 20 }),
      /** The pause before each run, in milliseconds. A post waits at most 15 s for the launch of its token. */
      pauseMs: fc.constantFrom(0, 15_000),
      known: fc.array(fc.nat(12), { maxLength: 6 }),
      seed: fc.integer({ min: 1, max: 1_000 }),
    })
    type Plan = typeof plans extends fc.Arbitrary<infer Value> ? Value : never

    /** Runs until all posts are handled. Starts the run again after each failure of the log. */
    async function runToEnd(on: Log): Promise<void> {
      const isOver = await run({ on }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof OperationError) return false
          throw error
        },
      )
      if (!isOver) await runToEnd(on)
    }

    /** Returns the record of a post or of the edit of an earlier post, with the tokens that it names. */
    function said({ tokens, isHex, editOf }: Plan['posts'][number], index: number) {
      const isEdit = editOf !== null && editOf < index
      const number = isEdit ? editOf + 1 : index + 1
      const addresses = tokens.map((name) => (isHex ? evmOf(name) : mintOf(name + 20)))
      const record = read(isEdit ? 'PostEdited' : 'PostSeen', {
        ...{ post: number, poster: `${number}`, text: addresses.join('\n') },
      })
      return { record, mentions: addresses.map((address) => `${number} ${address}`) }
    }

    /** Appends a few posts at a time, and runs after each append. Returns all tokens that the posts name. */
    async function play({ posts, runEvery, pauseMs }: Plan, on: Log): Promise<ReadonlySet<string>> {
      const named = new Set<string>()
      let unread: NewRecord[] = []
      for (const [index, planned] of posts.entries()) {
        nowMs += planned.pauseMs
        const { record, mentions } = said(planned, index)
        unread.push(record)
        for (const mention of mentions) named.add(mention)
        if ((index + 1) % runEvery !== 0 && index + 1 < posts.length) continue
        await append(unread)
        unread = []
        nowMs += pauseMs
        await runToEnd(on)
      }
      return named
    }

    it('are each there once', async () => {
      await fc.assert(
        fc.asyncProperty(plans, async (plan) => {
          begin(plan.seed)
          for (const name of plan.known) await knowMint(mintOf(name + 20), mintOf(name + 120))
          const named = await play(plan, tornLog([...plan.shares]))
          const found = (await facts()).map(({ key, data }) => `${data.post} ${key}`)
          expect(found).to.have.length(named.size)
          expect(new Set(found)).to.deep.equal(named)
        }),
        { numRuns: 100 },
      )
    })
  })

  describe('of tokens that nobody tracks', () => {
    const { ofChat, ofPoster } = namingLimits.untracked
    /** Appends `count` posts with one unknown token each. */
    const flood = async (from: number, count: number, content: Partial<PostContent> = {}) =>
      await append(
        Array.from({ length: count }, (_, index) => read('PostSeen', { text: evmOf(from + index), ...content })),
      )
    const count = async () => (await facts()).length

    it('are so many for a poster in an hour, and so many for a chat, whoever else posts', async () => {
      await flood(100, 50, { poster: 'spammer' })
      await run()
      expect(await count()).to.equal(ofPoster)
      for (let poster = 0; poster < 5; poster++) await flood(200 + poster * 50, 50, { poster: `other ${poster}` })
      await run()
      expect(await count()).to.equal(ofChat)
      await flood(500, 1, { chat: '-2', poster: 'spammer' })
      await run()
      expect(await count()).to.equal(ofChat + 1)
    })

    it('are as many again in the next hour', async () => {
      await flood(100, 50)
      await run()
      await flood(200, 50, { postedAtMs: startAtMs + hourMs })
      await run()
      expect(await count()).to.equal(2 * ofPoster)
    })

    it('are no more after a restart', async () => {
      await flood(100, ofPoster)
      await run()
      await flood(200, 1)
      await run()
      expect(await count()).to.equal(ofPoster)
    })

    it('leave room for what is traded, and for what was named before', async () => {
      await knowPool(1)
      await flood(100, 50, { poster: 'spammer' })
      await post({ text: token(1), poster: 'spammer' })
      await post({ text: evmOf(100), poster: 'spammer' })
      await run()
      expect(await count()).to.equal(ofPoster + 2)
    })

    it('are bounded where they are traded too, with more room', async () => {
      const { tracked } = namingLimits
      for (let name = 0; name <= tracked.ofPoster; name++) await knowPool(name)
      await append(
        Array.from({ length: tracked.ofPoster + 1 }, (_, name) =>
          read('PostSeen', { text: token(name), poster: 'spammer' }),
        ),
      )
      await run()
      expect(await count()).to.equal(tracked.ofPoster)
      await post({ text: token(tracked.ofPoster), poster: 'another' })
      await run()
      expect(await count()).to.equal(tracked.ofPoster + 1)
    })

    it('are in one post as bounded as in many', async () => {
      await post({ text: Array.from({ length: 20 }, (_, index) => evmOf(100 + index)).join('\n') })
      await run()
      expect(await count()).to.equal(ofPoster)
    })

    it('bound the cards about them', async () => {
      const { text } = sampleCard('trench-007dog')
      const bot = { poster: 'bot', posterName: 'TrenchScannerBot', replyTo: 7_000 }
      await append(
        Array.from({ length: ofChat + 5 }, (_, index) =>
          read('PostSeen', { ...bot, text: `${mintOf(100 + index)}\n${text}` }),
        ),
      )
      await run()
      expect(new Set((await facts()).map(({ type, key }) => `${type} ${key}`)).size).to.equal(ofChat)
      expect(await count()).to.equal(ofChat)
    })

    it('are told of once an hour, by the number of those that were left out alone', async () => {
      await flood(100, ofPoster + 3)
      await run({
        meanwhile: async () => {
          nowMs += 2 * hourMs
        },
      })
      expect(told).to.deep.equal([{ count: 3 }])
    })
  })

  it('name tokens of a chain whose addresses are of no form that a post has, never', async () => {
    const strange: TokenNaming = { ...chainBNaming, forms: [] } as unknown as TokenNaming
    await post({ text: mintOf(5) })
    const stop = new AbortController()
    const options = optionsOf({ chains: ['chain-b'] }, stop.signal)
    const running = runMentions({ ...options, chains: options.chains.map((chain) => ({ ...chain, naming: strange })) })
    await nextTurn()
    await nextTurn()
    stop.abort()
    await running
    expect(await said()).to.deep.equal([])
  })
})
