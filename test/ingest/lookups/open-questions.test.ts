import { expect } from 'chai'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import type { Log, NewRecord } from '../../../infra/log/log.ts'
import { createSendersLookup, type SenderReader } from '../../../ingest/chain-a/lookups/senders.ts'
import { createIngestCodecs, type IngestCodecs } from '../../../ingest/codecs.ts'
import { type OpenQuestions, readOpenQuestions } from '../../../ingest/lookups/open-questions.ts'
import type { Question } from '../../../ingest/lookups/question.ts'
import type { SendersAsked } from '../../../schemas/chain-a/derived.ts'
import { type ChainATypes, chainAStage } from '../../../schemas/chain-a/stage.ts'
import { buildTick } from '../../support/builders/build-facts.ts'
import { createHoledLog } from '../../support/log/holed-log.ts'
import { blockHash, poolOf, startAtMs, tokenOf } from '../build-range.ts'

const hourMs = 3_600_000
const ageMsMax = 24 * hourMs
const partition = 0
const neverAsked: SenderReader = async () => {
  throw new RangeError('must not be asked')
}

describe('the open questions', () => {
  let nowMs: number
  let log: Log
  let codecs: IngestCodecs<ChainATypes>
  let seq: number

  beforeEach(async () => {
    nowMs = startAtMs
    seq = 0
    log = createHoledLog({ nowMs: () => nowMs })
    codecs = await createIngestCodecs(chainAStage, createMemoryRegistry())
  })

  const append = async (topic: NewRecord['topic'], key: string, value: Buffer) =>
    (await log.openWriter('test')).append([{ topic, partition, key, value }])

  /**
   * Writes one tick per minute, the record that closes a time step. A later start finds its position in the
   * log by these ticks.
   */
  const passHours = async (hours: number) => {
    for (let minute = 0; minute < hours * 60; minute++) {
      nowMs += 60_000
      const tick = buildTick({ seq: ++seq, knownAtMs: nowMs })
      await append('chain-a-facts', 'tick', codecs.facts.encode('Tick', tick))
      await append('chain-a-derived', 'tick', codecs.derived.encode('Tick', tick))
    }
  }
  const ask = (name: number) => {
    const asked = { questionId: `q${name}`, revision: 0, pool: poolOf(name), tier: 'main', atMs: startAtMs } as const
    const value = codecs.derived.encode('SendersAsked', { ...asked, txHashes: [blockHash(name)] })
    return append('chain-a-derived', tokenOf(name), value)
  }
  const open = async () => {
    const lookups = [createSendersLookup(neverAsked)]
    const { questions, startOffsets } = await readOpenQuestions(
      { chain: { stage: chainAStage, lookups }, log, codecs, nowMs: () => nowMs },
      ageMsMax,
    )
    let offset = startOffsets[partition] as number
    const readOn = async () => {
      offset = await questions.readOn(partition, offset)
    }
    await readOn()
    return { questions, readOn }
  }
  const answer = async (questions: OpenQuestions) => {
    const question = questions.next() as Question
    const { questionId, revision, pool } = question.data as SendersAsked
    const answered = { questionId, revision, pool, senders: null, failure: 'none', answeredAtMs: nowMs }
    await append('chain-a-facts', question.key, codecs.facts.encode('SendersAnswered', answered))
    questions.close(question)
  }

  it('are known up to an instant once every partition is read up to it', async () => {
    const { questions, readOn } = await open()
    expect(questions.isReadUntil(startAtMs)).to.equal(false)
    for (let at = 0; at < chainAStage.derivedTopic.partitionCount; at++) {
      const tick = buildTick({ seq: 1, knownAtMs: nowMs, blockAtMs: startAtMs })
      const value = codecs.derived.encode('Tick', tick)
      await (await log.openWriter('test')).append([{ topic: 'chain-a-derived', partition: at, key: 'tick', value }])
      if (at === partition) await readOn()
      else await questions.readOn(at, 0)
      const isLast = at === chainAStage.derivedTopic.partitionCount - 1
      expect([questions.isReadUntil(startAtMs), questions.isReadUntil(startAtMs + 1)]).to.deep.equal([isLast, false])
    }
  })

  it('come newest first while they are live, then oldest first those that were read late, then those of a backfill', async () => {
    const { questions, readOn } = await open()
    nowMs += 20 * hourMs
    const askAt = (name: number, atMs: number) => {
      const asked = { questionId: `q${name}`, revision: 0, pool: poolOf(name), tier: 'main', atMs } as const
      const value = codecs.derived.encode('SendersAsked', { ...asked, txHashes: [blockHash(name)] })
      return append('chain-a-derived', tokenOf(name), value)
    }
    const ages = [5 * hourMs, 1_000, 120_001, 9 * hourMs, 300_000, 3_000, 120_000]
    for (const [name, ageMs] of ages.entries()) await askAt(name, nowMs - ageMs)
    await readOn()
    const order: number[] = []
    for (let question = questions.next(); question; question = questions.next()) {
      order.push(nowMs - question.data.atMs)
      questions.close(question)
    }
    expect(order).to.deep.equal([1_000, 3_000, 120_000, 300_000, 120_001, 9 * hourMs, 5 * hourMs])
  })

  it('wait no longer after the clock was set back', async () => {
    const { questions, readOn } = await open()
    await ask(1)
    await readOn()
    const question = questions.next() as Question
    questions.postpone(question, 2_000)
    nowMs += 1_999
    expect(questions.next()).to.equal(undefined)
    nowMs += 1
    expect(questions.next()).to.equal(question)
    questions.postpone(question, 2_000)
    nowMs -= hourMs
    expect(questions.next()).to.equal(question)
  })

  it('do not come again for a day, and after that as little as they would after a restart', async () => {
    await passHours(2)
    const running = await open()
    await ask(1)
    await running.readOn()
    await answer(running.questions)

    // Normally, the stage withdraws a lookup before it requests the same lookup again. Here it does not, so
    // that the test sees which lookups are remembered.
    for (const [hours, isRemembered] of [
      [23, true],
      [3, false],
    ] as const) {
      await passHours(hours)
      await ask(2 + hours)
      await running.readOn()
      await answer(running.questions)
      await ask(1)
      await running.readOn()
      const restarted = await open()
      for (const { questions } of [running, restarted])
        expect(questions.next()?.data.questionId, `${hours} h later`).to.equal(isRemembered ? undefined : 'q1')
    }
  })
})
