import { expect } from 'chai'
import { type Logger, pino } from 'pino'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { OperationError } from '../../../infra/errors.ts'
import type { Log } from '../../../infra/log/log.ts'
import { createOwnersLookup, type OwnerReader } from '../../../ingest/chain-a/lookups/owners.ts'
import { createSendersLookup, type SenderReader } from '../../../ingest/chain-a/lookups/senders.ts'
import { createIngestCodecs, type IngestCodecs } from '../../../ingest/codecs.ts'
import { runLookups } from '../../../ingest/lookups/lookups.ts'
import { createPace } from '../../../ingest/prices/pace.ts'
import { createPriceLookup } from '../../../ingest/prices/price-lookup.ts'
import type { PriceSource } from '../../../ingest/prices/price-source.ts'
import { isAnswer, type SendersAnswered } from '../../../schemas/chain-a/facts.ts'
import { type ChainATypes, chainAStage } from '../../../schemas/chain-a/stage.ts'
import { tickKey } from '../../../schemas/topics.ts'
import { buildTick } from '../../support/builders/build-facts.ts'
import { createHoledLog } from '../../support/log/holed-log.ts'
import { createVirtualTime } from '../../support/virtual-time.ts'
import { blockHash, poolOf, positionOf, startAtMs, tokenOf } from '../build-range.ts'
import { readRecords } from '../read-records.ts'

const hourMs = 3_600_000
const neverAsked: SenderReader = async () => {
  throw new RangeError('must not be asked')
}
const noOwners: OwnerReader = async () => {
  throw new RangeError('must not be asked')
}
const chainAsking = (readSenders: SenderReader, readOwners: OwnerReader) => ({
  stage: chainAStage,
  lookups: [createSendersLookup(readSenders), createOwnersLookup(readOwners)],
})
const everySender: SenderReader = async (hashes) => new Map(hashes.map((hash) => [hash, tokenOf(9)]))

describe('lookups', () => {
  let nowMs: number
  let log: Log
  let codecs: IngestCodecs<ChainATypes>

  beforeEach(async () => {
    nowMs = startAtMs
    log = createHoledLog({ nowMs: () => nowMs })
    codecs = await createIngestCodecs(chainAStage, createMemoryRegistry())
  })

  async function ask(name: number, question: Readonly<{ partition?: number; atMs?: number; txCount?: number }> = {}) {
    const { partition = 0, atMs = nowMs - 60_000, txCount = 2 } = question
    const writer = await log.openWriter('stage')
    const txHashes = Array.from({ length: txCount }, (_, index) => blockHash(name * 100 + index))
    const asked = { questionId: `q${name}`, revision: 0, pool: poolOf(name), tier: 'main', atMs, txHashes } as const
    const value = codecs.derived.encode('SendersAsked', asked)
    await writer.append([{ topic: 'chain-a-derived', partition, key: tokenOf(name), value }])
  }

  /** Writes a tick into one partition of the stage's derived topic. */
  async function told(partition: number, blockAtMs: number) {
    const writer = await log.openWriter(`stage of ${partition}`)
    const value = codecs.derived.encode('Tick', buildTick({ seq: 1, blockAtMs }))
    await writer.append([{ topic: 'chain-a-derived', partition, key: tickKey, value }])
  }

  const allAnswers = async () =>
    (await readRecords(log, 'chain-a-facts', codecs.facts)).flatMap(({ partition, key, record }) =>
      record && isAnswer(record) ? [{ partition, key, record }] : [],
    )
  const answers = async () =>
    (await allAnswers()).flatMap(({ partition, key, record }) =>
      record.type === 'SendersAnswered' ? [{ partition, key, ...record.data }] : [],
    )

  /**
   * Runs the lookup until the log has `answerCount` answers. The clock of the test moves on where the
   * lookup waits, so no wait takes real time.
   */
  async function runUntil(
    answerCount: number,
    readSenders: SenderReader,
    {
      readOwners = noOwners,
      whileWaiting = async () => {},
      logger = pino({ level: 'silent' }),
    }: Readonly<{ readOwners?: OwnerReader; whileWaiting?: () => Promise<void>; logger?: Logger }> = {},
  ): Promise<void> {
    const stop = new AbortController()
    const running = runLookups({
      chain: chainAsking(readSenders, readOwners),
      log,
      codecs,
      nowMs: () => nowMs,
      logger,
      signal: stop.signal,
      delay: async (ms) => {
        nowMs += ms
        await whileWaiting()
        await new Promise(setImmediate)
      },
    })
    while ((await allAnswers()).length < answerCount) await new Promise(setImmediate)
    stop.abort()
    await running
  }

  it('answers again a question that a reorg withdrew and the other branch asks once more', async () => {
    const atMs = nowMs - 60_000
    const key = { recordType: 'SendersAsked', pool: poolOf(1), tier: 'main', atMs, name: '' } as const
    const asked = { questionId: `${poolOf(1)}:main:${atMs}`, revision: 7, pool: poolOf(1), tier: 'main', atMs } as const
    const question = codecs.derived.encode('SendersAsked', { ...asked, txHashes: [blockHash(1)] })
    const publish = async (value: Buffer) => {
      const writer = await log.openWriter('stage')
      await writer.append([{ topic: 'chain-a-derived', partition: 1, key: tokenOf(1), value }])
    }
    await publish(question)
    await runUntil(1, everySender)
    await publish(codecs.derived.encode('Withdrawn', key))
    await publish(question)
    await runUntil(2, everySender)
    expect((await answers()).map(({ revision, failure }) => [revision, failure])).to.deep.equal([
      [7, null],
      [7, null],
    ])
  })

  it('answers into the partition and under the key of the question', async () => {
    await ask(1, { partition: 2 })
    await runUntil(1, everySender)
    const [answer] = await answers()
    expect(answer).to.include({
      partition: 2,
      key: tokenOf(1),
      questionId: 'q1',
      revision: 0,
      pool: poolOf(1),
      failure: null,
    })
    expect(answer?.senders?.map((found) => ({ ...found }))).to.deep.equal(
      [100, 101].map((tx) => ({ txHash: blockHash(tx), sender: tokenOf(9) })),
    )
  })

  it('answers every question once, however often it is restarted', async () => {
    await ask(1)
    await ask(2, { partition: 3 })
    await runUntil(1, everySender)
    await ask(3, { partition: 1 })
    await runUntil(3, everySender)
    await runUntil(3, neverAsked)
    expect((await answers()).map(({ questionId }) => questionId)).to.have.members(['q1', 'q2', 'q3'])
  })

  it('takes up a question that it was stopped in the middle of', async () => {
    await ask(1)
    const stop = new AbortController()
    const stopping: SenderReader = async (_hashes, signal) => {
      stop.abort()
      signal.throwIfAborted()
      return new Map()
    }
    await runLookups({
      chain: chainAsking(stopping, noOwners),
      log,
      codecs,
      nowMs: () => nowMs,
      logger: pino({ level: 'silent' }),
      signal: stop.signal,
    })
    expect(await answers(), 'stopping is no failure of the question').to.deep.equal([])
    await runUntil(1, everySender)
    expect((await answers())[0]).to.include({ failure: null })
  })

  it('answers live bursts first, the newest of them before the others, and those of a backfill in their order', async () => {
    await ask(1, { atMs: nowMs - 2 * hourMs })
    await ask(2, { atMs: nowMs - 60_000 })
    await ask(3, { atMs: nowMs - 3 * hourMs })
    await ask(4, { atMs: nowMs - 30_000 })
    nowMs += 5000
    await runUntil(4, everySender)
    expect((await answers()).map(({ questionId }) => questionId)).to.deep.equal(['q4', 'q2', 'q3', 'q1'])
  })

  it('appends answers to questions of a backfill together, and one to a live question at once', async () => {
    for (const partition of [0, 1, 2, 3]) await told(partition, nowMs)
    for (const name of [1, 2, 3]) await ask(name, { atMs: nowMs - 2 * hourMs + name })
    const kept = log
    const sizes: number[] = []
    const openWriter: Log['openWriter'] = async (id, options) => {
      const writer = await kept.openWriter(id, options)
      if (!id.startsWith('lookups')) return writer
      const append: typeof writer.append = (records) => {
        sizes.push(records.length)
        return writer.append(records)
      }
      return { ...writer, append }
    }
    log = { ...kept, openWriter }
    await runUntil(3, everySender)
    expect(sizes).to.deep.equal([3])
    for (const name of [4, 5]) await ask(name)
    await runUntil(5, everySender)
    expect(sizes).to.deep.equal([3, 1, 1])
  })

  for (const [of, agoMs] of [
    ['of a backfill', 3 * hourMs],
    ['that was read late', 300_000],
  ] as const)
    it(`waits with a burst ${of} until every partition may have asked about earlier ones`, async () => {
      const pastMs = nowMs - agoMs
      await ask(1, { partition: 0, atMs: pastMs + 2000 })
      for (const partition of [0, 2, 3]) await told(partition, pastMs + 10_000)
      await told(1, pastMs)
      const asking: string[] = []
      const noting: SenderReader = async (hashes, signal) => {
        asking.push(hashes[0] === blockHash(200) ? 'q2' : 'q1')
        return everySender(hashes, signal)
      }
      let isBehind = true
      const goOnAfterAMinute = async () => {
        if (!isBehind || nowMs < startAtMs + 60_000) return
        isBehind = false
        await ask(2, { partition: 1, atMs: pastMs + 1000 })
        await told(1, pastMs + 10_000)
      }
      await runUntil(2, noting, { whileWaiting: goOnAfterAMinute })
      expect(asking).to.deep.equal(['q2', 'q1'])
    })

  it('does not wait for ever for a partition that stands still', async () => {
    await ask(1, { atMs: nowMs - 2 * hourMs })
    let askedAtMs = 0
    await runUntil(1, async (hashes, signal) => {
      askedAtMs = nowMs
      return everySender(hashes, signal)
    })
    expect(askedAtMs - startAtMs).to.be.within(300_000, 301_000)
  })

  it('asks no earlier than five seconds after the burst', async () => {
    await ask(1, { atMs: nowMs })
    let askedAtMs = 0
    await runUntil(1, async (hashes, signal) => {
      askedAtMs = nowMs
      return everySender(hashes, signal)
    })
    expect(askedAtMs).to.be.at.least(startAtMs + 5000)
  })

  it('asks again for a minute while the node is away, and for other bursts in between', async () => {
    await ask(1, { atMs: nowMs })
    await ask(2, { atMs: nowMs - 1_000 })
    const away = new OperationError('node_unreachable', 'away')
    await runUntil(2, async (hashes, signal) => {
      const isOfFirst = hashes.includes(blockHash(100))
      if (nowMs < startAtMs + (isOfFirst ? 40_000 : 20_000)) throw away
      return everySender(hashes, signal)
    })
    const found = (await answers()).map((answer): Partial<SendersAnswered> => answer)
    expect(found.map(({ questionId, failure }) => [questionId, failure])).to.deep.equal([
      ['q2', null],
      ['q1', null],
    ])
  })

  it('asks five times in a row for senders of a burst that was read late', async () => {
    await ask(1, { atMs: nowMs - 90_000 })
    let count = 0
    await runUntil(1, async () => {
      count++
      throw new OperationError('node_unreachable', 'away')
    })
    expect(count).to.equal(5)
    expect((await answers())[0]).to.include({ senders: null, failure: 'away' })
  })

  const failing = (error: Error) => async () => Promise.reject(error)
  const failures: readonly (readonly [string, SenderReader, string, 'debug' | 'info' | 'warn'])[] = [
    ['the node is away', failing(new OperationError('node_unreachable', 'no answer')), 'no answer', 'warn'],
    ['the node knows no such thing', failing(new OperationError('node_refused', 'no such')), 'no such', 'info'],
    ['the thing does not exist', failing(new OperationError('nothing_found', 'none')), 'none', 'debug'],
    ['an error might hold a secret', failing(new RangeError('https://node/secret')), 'the reader failed', 'warn'],
    [
      'the node knows only some of them',
      async ([first]) => new Map(first ? [[first, tokenOf(9)]] : []),
      '1 of 2 transactions are unknown to the node',
      'warn',
    ],
  ]
  for (const [name, readSenders, failure, level] of failures)
    it(`writes a failure and goes on when ${name}`, async () => {
      await ask(1)
      const lines: unknown[] = []
      const write = (line: string) => void lines.push(JSON.parse(line).level)
      await runUntil(1, readSenders, { logger: pino({ level: 'debug' }, { write }) })
      expect(lines).to.deep.equal([pino.levels.values[level]])
      await ask(2)
      await runUntil(2, everySender)
      const found = (await answers()).map((answer): Partial<SendersAnswered> => answer)
      expect(found[0]).to.include({ questionId: 'q1', senders: null, failure })
      expect(found[1]).to.include({ questionId: 'q2', failure: null })
    })

  it('answers live bursts while a provider takes its time over a newer question of a price', async () => {
    const writer = await log.openWriter('stage')
    const priced = {
      ...{ questionId: `${tokenOf(2)}:${nowMs}`, revision: 0, atMs: nowMs, market: null },
      ...{ isInUsd: false, usefulMs: 300_000 },
    }
    const value = codecs.derived.encode('PriceAsked', priced)
    await writer.append([{ topic: 'chain-a-derived', partition: 0, key: tokenOf(2), value }])
    await ask(1)
    const stop = new AbortController()
    let isAsked = false
    const slow: PriceSource = (_, signal) =>
      new Promise((_resolve, reject) => {
        isAsked = true
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    const running = runLookups({
      chain: { stage: chainAStage, lookups: [createSendersLookup(everySender), createPriceLookup(slow)] },
      ...{ log, codecs, nowMs: () => nowMs, logger: pino({ level: 'silent' }), signal: stop.signal },
      delay: async () => await new Promise(setImmediate),
    })
    while (!isAsked || (await answers()).length === 0) await new Promise(setImmediate)
    expect((await allAnswers()).map(({ record }) => record.type)).to.deep.equal(['SendersAnswered'])
    stop.abort()
    await running
  })

  describe('of prices', () => {
    const askForPrice = async (name: number, { atMs, usefulMs }: Readonly<{ atMs: number; usefulMs: number }>) => {
      const writer = await log.openWriter('stage')
      const asked = {
        questionId: `${tokenOf(name)}:${atMs}`,
        revision: 0,
        atMs,
        market: null,
        isInUsd: false,
        usefulMs,
      }
      const value = codecs.derived.encode('PriceAsked', asked)
      await writer.append([{ topic: 'chain-a-derived', partition: name % 4, key: tokenOf(name), value }])
    }

    /**
     * Simulates a price source like an aggregator. It gives 140 answers per minute, each after 300 ms. The
     * posts are read 4 s after their time, when samples are already waiting.
     */
    async function delaysOfPosts(sampleCount: number, postCount: number) {
      const time = createVirtualTime(startAtMs)
      log = createHoledLog({ nowMs: time.nowMs })
      const pace = createPace({ perMinMax: 140, nowMs: time.nowMs, delay: time.delay })
      const source: PriceSource = async ({ isUrgent }, signal) => {
        await pace.turn(signal, isUrgent)
        await time.delay(300, signal)
        return { px: 1, source: 'aggregator', mcapUsd: null, change1h: null }
      }
      const stop = new AbortController()
      const chain = { stage: chainAStage, lookups: [createPriceLookup(source, { limitMs: 1e9 })] }
      const running = runLookups({
        ...{ chain, log, codecs, nowMs: time.nowMs, logger: pino({ level: 'silent' }), signal: stop.signal },
        delay: time.delay,
      })
      const prices = async () =>
        (await allAnswers()).flatMap(({ record }) => (record.type === 'PriceAnswered' ? [record.data] : []))
      const asking = async () => {
        await time.delay(10_000, stop.signal)
        const postedAtMs = time.nowMs() - 3_000
        // The price samples have later times than the post.
        for (let name = 1; name <= sampleCount; name++)
          await askForPrice(name, { atMs: time.nowMs() - (name % 9), usefulMs: 300_000 })
        await time.delay(1_000, stop.signal)
        for (let post = 0; post < postCount; post++)
          await askForPrice(1000 + post, { atMs: postedAtMs, usefulMs: 15_000 })
        while ((await prices()).length < sampleCount + postCount) await time.delay(1_000, stop.signal)
        stop.abort()
        await running
        const told = await prices()
        const ofPosts = told.filter(({ questionId }) => questionId.endsWith(`:${postedAtMs}`))
        return {
          delaysMs: ofPosts.map(({ answeredAtMs }) => answeredAtMs - postedAtMs),
          answeredMs: ofPosts.flatMap(({ answeredAtMs, price }) => (price ? [answeredAtMs - postedAtMs] : [])),
          failures: new Set(told.flatMap(({ failure }) => failure ?? [])),
        }
      }
      return await time.run(asking())
    }

    it('answers a question at a post at once, while 200 samples wait', async () => {
      const { delaysMs, failures } = await delaysOfPosts(200, 1)
      expect(delaysMs).to.have.length(1)
      expect(delaysMs[0]).to.be.within(4_000, 5_500)
      expect([...failures]).to.deep.equal([])
    })

    it('answers the posts of a burst as fast as is allowed, and does not ask what is of no use any more', async () => {
      const { answeredMs, delaysMs, failures } = await delaysOfPosts(200, 60)
      expect(delaysMs).to.have.length(60)
      expect(answeredMs.length).to.be.within(18, 30)
      expect(Math.max(...answeredMs)).to.be.at.most(15_000 + 5_000)
      expect([...failures]).to.deep.equal(['too old'])
    })
  })

  it('waits for transactions that the node learns of late', async () => {
    await ask(1)
    let attempt = 0
    await runUntil(1, async (hashes, signal) => (++attempt < 3 ? new Map() : everySender(hashes, signal)))
    expect((await answers())[0]).to.include({ failure: null })
  })

  it('answers questions of another day as too old, without asking', async () => {
    await ask(1, { atMs: nowMs - 25 * hourMs })
    await runUntil(1, neverAsked)
    expect((await answers())[0]).to.include({ senders: null, failure: 'too old' })
  })

  it('still answers a burst from the start of a day of backfill', async () => {
    await ask(1, { atMs: nowMs - 24 * hourMs })
    await runUntil(1, everySender)
    expect((await answers())[0]).to.include({ failure: null })
  })

  describe('of who owns position NFTs', () => {
    const positionIds = [1, 2].map(positionOf)
    const everyOwner: OwnerReader = async ({ positionIds: [first] }) => new Map(first ? [[first, tokenOf(9)]] : [])

    async function askOwners(name: number, { atMs = nowMs }: Readonly<{ atMs?: number }> = {}) {
      const writer = await log.openWriter('stage')
      const burst = { pool: poolOf(name), tier: 'main', atMs, blockNumber: 7, blockHash: blockHash(7) } as const
      const asked = { questionId: `q${name}`, revision: 3, ...burst, positionIds }
      const value = codecs.derived.encode('OwnersAsked', asked)
      await writer.append([{ topic: 'chain-a-derived', partition: 2, key: tokenOf(name), value }])
    }
    const owners = async () =>
      (await allAnswers()).flatMap(({ partition, key, record }) =>
        record.type === 'OwnersAnswered' ? [{ partition, key, ...record.data }] : [],
      )

    it('names the owner of each at the end of the block, and nobody where there is no such NFT', async () => {
      await askOwners(1)
      let question: Parameters<OwnerReader>[0] | undefined
      const reading: OwnerReader = async (asked, signal) => {
        question = asked
        return everyOwner(asked, signal)
      }
      await runUntil(1, neverAsked, { readOwners: reading })
      expect(question).to.include({ blockNumber: 7, blockHash: blockHash(7) })
      const [answer] = await owners()
      expect(answer).to.include({ partition: 2, key: tokenOf(1), questionId: 'q1', revision: 3, failure: null })
      expect(answer?.owners?.map((found) => ({ ...found }))).to.deep.equal([
        { positionId: positionIds[0], owner: tokenOf(9) },
        { positionId: positionIds[1], owner: null },
      ])
    })

    it('is answered at once, beside a question of senders with the same name that has to wait', async () => {
      await ask(1, { atMs: nowMs })
      await askOwners(1)
      await runUntil(2, everySender, { readOwners: everyOwner })
      expect((await allAnswers()).map(({ record }) => record.type)).to.have.members([
        'SendersAnswered',
        'OwnersAnswered',
      ])
      expect((await owners())[0]?.answeredAtMs).to.be.below(startAtMs + 5000)
      await runUntil(2, neverAsked)
    })

    it('waits for a block that the node gets late', async () => {
      await askOwners(1)
      let attempt = 0
      const reading: OwnerReader = async (asked, signal) => {
        if (++attempt < 3) throw new OperationError('node_refused', 'header not found')
        return everyOwner(asked, signal)
      }
      await runUntil(1, neverAsked, { readOwners: reading })
      expect((await owners())[0]).to.include({ failure: null })
    })

    it('fails after a minute, and at once where the block is so old that its state is gone', async () => {
      const refusing: OwnerReader = async () => {
        attempts++
        throw new OperationError('node_refused', 'missing trie node')
      }
      let attempts = 0
      for (const [atMs, count] of [
        [nowMs, 30],
        [nowMs - hourMs, 1],
      ] as const) {
        attempts = 0
        await askOwners(count, { atMs })
        await runUntil((await owners()).length + 1, neverAsked, { readOwners: refusing })
        expect(attempts).to.equal(count)
        expect((await owners()).at(-1)).to.include({ owners: null, failure: 'missing trie node' })
      }
    })
  })
})
