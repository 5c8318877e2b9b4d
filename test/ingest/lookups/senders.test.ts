import { expect } from 'chai'
import { pino } from 'pino'
import { OperationError } from '../../../infra/errors.ts'
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory-log.ts'
import { createMemoryRegistry } from '../../../infra/log/schema-table.ts'
import { createIngestCodecs, type IngestCodecs } from '../../../ingest/codecs.ts'
import { runSendersLookup } from '../../../ingest/lookups/senders.ts'
import type { SenderReader } from '../../../ingest/source.ts'
import type { SendersAnswered } from '../../../schemas/chain-a/facts.ts'
import { chainAPartitionCount } from '../../../schemas/topics.ts'
import { blockHash, poolOf, startAtMs, tokenOf } from '../build-range.ts'
import { readRecords } from '../read-records.ts'

const hourMs = 3_600_000
const neverAsked: SenderReader = async () => {
  throw new RangeError('must not be asked')
}
const everySender: SenderReader = async (hashes) => new Map(hashes.map((hash) => [hash, tokenOf(9)]))

describe('the lookup of transaction senders', () => {
  let nowMs: number
  let log: Log
  let codecs: IngestCodecs

  beforeEach(async () => {
    nowMs = startAtMs
    log = createMemoryLog({ nowMs: () => nowMs })
    codecs = await createIngestCodecs(createMemoryRegistry())
  })

  async function ask(name: number, question: Readonly<{ partition?: number; atMs?: number; txCount?: number }> = {}) {
    const { partition = 0, atMs = nowMs - 60_000, txCount = 2 } = question
    const writer = await log.openWriter('stage')
    const txHashes = Array.from({ length: txCount }, (_, index) => blockHash(name * 100 + index))
    const asked = { questionId: `q${name}`, revision: 0, pool: poolOf(name), tier: 'main', atMs, txHashes } as const
    const value = codecs.derived.encode('SendersAsked', asked)
    await writer.append([{ topic: 'chain-a-derived', partition, key: tokenOf(name), value }])
  }

  const answers = async () =>
    (await readRecords(log, 'chain-a-facts', codecs.facts)).flatMap(({ partition, key, record }) =>
      record?.type === 'SendersAnswered' ? [{ partition, key, ...record.data }] : [],
    )

  /** Runs the lookup until so many answers are in the log; waits only move the clock. */
  async function runUntil(answerCount: number, readSenders: SenderReader): Promise<void> {
    const stop = new AbortController()
    const running = runSendersLookup({
      log,
      codecs,
      readSenders,
      partitionCount: chainAPartitionCount,
      nowMs: () => nowMs,
      logger: pino({ level: 'silent' }),
      signal: stop.signal,
      delay: async (ms) => {
        nowMs += ms
        await new Promise(setImmediate)
      },
    })
    while ((await answers()).length < answerCount) await new Promise(setImmediate)
    stop.abort()
    await running
  }

  it('answers again a question that a revert withdrew and the other branch asks once more', async () => {
    const atMs = nowMs - 60_000
    const key = { recordType: 'SendersAsked', pool: poolOf(1), tier: 'main', atMs } as const
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
    const base = {
      log,
      codecs,
      partitionCount: chainAPartitionCount,
      nowMs: () => nowMs,
      logger: pino({ level: 'silent' }),
    }
    await runSendersLookup({
      ...base,
      signal: stop.signal,
      readSenders: async (_hashes, signal) => {
        stop.abort()
        signal.throwIfAborted()
        return new Map()
      },
    })
    expect(await answers(), 'stopping is no failure of the question').to.deep.equal([])
    await runUntil(1, everySender)
    expect((await answers())[0]).to.include({ failure: null })
  })

  it('answers the newest bursts first', async () => {
    await ask(1, { atMs: nowMs - 3 * hourMs })
    await ask(2, { atMs: nowMs - hourMs })
    await ask(3, { atMs: nowMs - 2 * hourMs })
    await runUntil(3, everySender)
    expect((await answers()).map(({ questionId }) => questionId)).to.deep.equal(['q2', 'q3', 'q1'])
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

  const failures: readonly (readonly [string, SenderReader, string])[] = [
    ['the node is away', async () => Promise.reject(new OperationError('node_unreachable', 'no answer')), 'no answer'],
    [
      'an unknown error might hold a secret',
      async () => Promise.reject(new RangeError('https://node/secret')),
      'the sender reader failed',
    ],
    [
      'the node knows only some of them',
      async ([first]) => new Map(first ? [[first, tokenOf(9)]] : []),
      '1 of 2 transactions are unknown to the node',
    ],
  ]
  for (const [name, readSenders, failure] of failures)
    it(`writes a failure and goes on when ${name}`, async () => {
      await ask(1)
      await runUntil(1, readSenders)
      await ask(2)
      await runUntil(2, everySender)
      const found = (await answers()).map((answer): Partial<SendersAnswered> => answer)
      expect(found[0]).to.include({ questionId: 'q1', senders: null, failure })
      expect(found[1]).to.include({ questionId: 'q2', failure: null })
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
})
