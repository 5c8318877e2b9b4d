/** Tests the lookup of a mint's holders after a burst of trades, when the node answers late or never. */
import { expect } from 'chai'
import { pino } from 'pino'
import { hexOfBase58 } from '../../../../infra/base58.ts'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { OperationError } from '../../../../infra/errors.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { createHoldersLookup, type HolderReader } from '../../../../ingest/chain-b/lookups/holders.ts'
import { createSafetyLookup } from '../../../../ingest/chain-b/lookups/safety.ts'
import { createIngestCodecs, type IngestCodecs } from '../../../../ingest/codecs.ts'
import { runLookups } from '../../../../ingest/lookups/lookups.ts'
import { safetyAskedOf } from '../../../../processors/chain-b/safety/safety.ts'
import type { ChainBAnswer } from '../../../../schemas/chain-b/facts.ts'
import { type ChainBTypes, chainBStage } from '../../../../schemas/chain-b/stage.ts'
import { createHoledLog } from '../../../support/log/holed-log.ts'
import { readRecords } from '../../read-records.ts'

const signalMs = 1_795_000_000_000
const mint = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
const otherMint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const holders = [{ owner: '0x01', tokenRaw: 5n }] as const

describe('a question of holders', () => {
  let nowMs: number
  let log: Log
  let codecs: IngestCodecs<ChainBTypes>
  let triedAtSec: number[]
  beforeEach(async () => {
    nowMs = signalMs + 1000
    triedAtSec = []
    log = createHoledLog({ nowMs: () => nowMs })
    codecs = await createIngestCodecs(chainBStage, createMemoryRegistry())
  })

  const publish = async (key: string, value: Buffer) => {
    const writer = await log.openWriter('stage')
    await writer.append([{ topic: 'chain-b-derived', partition: 0, key, value }])
  }
  const askHolders = (of = mint, atMs = signalMs) =>
    publish(
      of,
      codecs.derived.encode('HoldersAsked', {
        ...{ questionId: `${of}:${atMs}`, revision: 3, atMs, slot: 5, slotHash: '0x05' },
      }),
    )
  const countIn = (answer: ChainBAnswer): number | null =>
    answer.type === 'HoldersAnswered' ? (answer.data.holders?.length ?? null) : null
  const answers = async () =>
    (await readRecords(log, 'chain-b-facts', codecs.facts)).flatMap(({ record }) =>
      record?.type === 'HoldersAnswered' || record?.type === 'SafetyAnswered'
        ? [
            {
              ...record.data,
              type: record.type,
              found: countIn(record),
              sec: (record.data.answeredAtMs - signalMs) / 1000,
            },
          ]
        : [],
    )

  /** Runs until the log has `count` answers, or until `atMs`. Waits only move the clock. */
  async function run(readHolders: HolderReader, until: Readonly<{ count?: number; atMs?: number }>) {
    const { count = Number.POSITIVE_INFINITY, atMs = Number.POSITIVE_INFINITY } = until
    const stop = new AbortController()
    const lookups = [
      createHoldersLookup(async (question, signal) => {
        triedAtSec.push((nowMs - signalMs) / 1000)
        return await readHolders(question, signal)
      }),
      createSafetyLookup({
        name: 'provider',
        check: async () => {
          throw new OperationError('provider_failed', 'it is away')
        },
      }),
    ]
    const running = runLookups({
      ...{ chain: { stage: chainBStage, lookups }, log, codecs, nowMs: () => nowMs, signal: stop.signal },
      logger: pino({ level: 'silent' }),
      delay: async (ms) => {
        nowMs += ms
        await new Promise(setImmediate)
      },
    })
    while ((await answers()).length < count && nowMs < atMs) await new Promise(setImmediate)
    stop.abort()
    await running
  }
  const fails: HolderReader = async () => {
    throw new OperationError('node_refused', 'not a token mint')
  }
  const failsUntil =
    (atMs: number, code: 'node_refused' | 'node_unreachable' = 'node_refused'): HolderReader =>
    async () => {
      if (nowMs < atMs) throw new OperationError(code, 'later')
      return holders
    }

  for (const code of ['node_refused', 'node_unreachable'] as const)
    it(`is asked again where it failed with ${code}: the first success is the answer, and the only one`, async () => {
      await askHolders()
      await run(failsUntil(signalMs + 40_000, code), { count: 1 })
      await run(fails, { atMs: nowMs + 120_000 })
      const given = await answers()
      expect(given).to.have.length(1)
      expect(given[0]).to.deep.include({ found: 1, failure: null })
      expect(given[0]?.sec).to.be.within(40, 43)
    })

  it('has failed only when the minute after the signal is over', async () => {
    await askHolders()
    await run(fails, { count: 1 })
    const [given] = await answers()
    expect(given).to.deep.include({ found: null, failure: 'not a token mint' })
    expect(given?.sec).to.be.within(57, 60)
    expect(triedAtSec.length, 'every few seconds').to.be.within(20, 30)
  })

  it('holds up no other question while it waits', async () => {
    await askHolders()
    await askHolders(otherMint)
    await publish(mint, codecs.derived.encode('SafetyAsked', safetyAskedOf(mint, { reason: 'burst', atMs: signalMs })))
    const read: HolderReader = async (question, signal) =>
      question.mint === hexOfBase58(mint, 32) ? await fails(question, signal) : holders
    await run(read, { count: 3 })
    const given = await answers()
    expect(given.map(({ type, failure }) => [type, failure])).to.deep.equal([
      ['HoldersAnswered', null],
      ['SafetyAnswered', 'it is away'],
      ['HoldersAnswered', 'not a token mint'],
    ])
    expect(given.map(({ sec }) => sec < 10)).to.deep.equal([true, true, false])
  })

  it('stays open over a restart, and is asked at once then', async () => {
    await askHolders()
    await run(fails, { atMs: signalMs + 10_000 })
    expect(await answers()).to.deep.equal([])
    const restartedAtMs = nowMs
    await run(failsUntil(restartedAtMs), { count: 1 })
    const [given] = await answers()
    expect(given).to.deep.include({ found: 1, failure: null })
    expect(given?.sec).to.be.at.most((restartedAtMs - signalMs) / 1000 + 1)
  })

  it('of an earlier time is asked once', async () => {
    await askHolders(mint, signalMs - 90_000)
    await run(fails, { count: 1 })
    expect(triedAtSec).to.have.length(1)
  })
})
