import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { OperationError } from '../../../infra/errors.ts'
import { createHoldersLookup } from '../../../ingest/chain-b/lookups/holders.ts'
import { createSafetyLookup } from '../../../ingest/chain-b/lookups/safety.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { runLookups } from '../../../ingest/lookups/lookups.ts'
import { readOpenQuestions } from '../../../ingest/lookups/open-questions.ts'
import { safetyAskedOf } from '../../../processors/chain-b/safety/safety.ts'
import type { SafetyReason } from '../../../schemas/chain-b/safety.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { createHoledLog } from '../../support/log/holed-log.ts'
import { readRecords } from '../read-records.ts'

const startAtMs = 1_795_000_000_000
const partition = 0
const mint = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'

describe('the open questions of chain B', () => {
  it('are forgotten by their mint: one that was withdrawn is asked again, that of the same instant about another is not', async () => {
    const log = createHoledLog({ nowMs: () => startAtMs })
    const codecs = await createIngestCodecs(chainBStage, createMemoryRegistry())
    const writer = await log.openWriter('test')
    const append = (key: string, value: Buffer) => writer.append([{ topic: 'chain-b-derived', partition, key, value }])
    const ask = (mint: string) => {
      const asked = { questionId: `${mint}:${startAtMs}`, revision: 3, atMs: startAtMs, slot: 5 } as const
      return append(mint, codecs.derived.encode('HoldersAsked', { ...asked, slotHash: '0x05' }))
    }
    const lookup = createHoldersLookup(async () => [])
    const { questions } = await readOpenQuestions(
      { chain: { stage: chainBStage, lookups: [lookup] }, log, codecs, nowMs: () => startAtMs },
      3_600_000,
    )
    await ask('one')
    await ask('other')
    let offset = await questions.readOn(partition, 0)
    for (let question = questions.next(); question; question = questions.next()) questions.close(question)

    const withdrawn = { recordType: 'HoldersAsked', atMs: startAtMs, txHash: null, logIndex: null, name: '' }
    await append('one', codecs.derived.encode('Withdrawn', withdrawn))
    await ask('one')
    await ask('other')
    offset = await questions.readOn(partition, offset)
    const open = questions.next()
    expect(open?.data.questionId).to.equal(`one:${startAtMs}`)
    if (open) questions.close(open)
    expect(questions.next()).to.equal(undefined)
  })

  it('are forgotten by their reason: those of the same mint and instant for another reason stay answered', async () => {
    const log = createHoledLog({ nowMs: () => startAtMs })
    const codecs = await createIngestCodecs(chainBStage, createMemoryRegistry())
    const writer = await log.openWriter('test')
    const append = (value: Buffer) => writer.append([{ topic: 'chain-b-derived', partition, key: mint, value }])
    const ask = (reason: SafetyReason) =>
      append(codecs.derived.encode('SafetyAsked', safetyAskedOf(mint, { reason, atMs: startAtMs })))
    const check = async () => {
      throw new RangeError('must not be asked')
    }
    const { questions } = await readOpenQuestions(
      {
        ...{ chain: { stage: chainBStage, lookups: [createSafetyLookup({ name: 'provider', check })] }, log, codecs },
        nowMs: () => startAtMs,
      },
      3_600_000,
    )
    const reasons: readonly SafetyReason[] = ['burst', 'call']
    for (const reason of reasons) await ask(reason)
    let offset = await questions.readOn(partition, 0)
    for (let question = questions.next(); question; question = questions.next()) questions.close(question)
    const withdrawn = { recordType: 'SafetyAsked', atMs: startAtMs, txHash: null, logIndex: null, name: 'call' }
    await append(codecs.derived.encode('Withdrawn', withdrawn))
    for (const reason of reasons) await ask(reason)
    offset = await questions.readOn(partition, offset)
    const open = questions.next()
    expect(open?.data.questionId).to.equal(`${mint}:${startAtMs}:call`)
    if (open) questions.close(open)
    expect(questions.next()).to.equal(undefined)
  })

  it('have one answer each, asked once, also after a restart and when one of them fails', async () => {
    const nowMs = () => startAtMs
    const log = createHoledLog({ nowMs })
    const codecs = await createIngestCodecs(chainBStage, createMemoryRegistry())
    const asked = {
      questionId: `${mint}:${startAtMs}`,
      revision: 3,
      atMs: startAtMs,
      slot: 5,
      slotHash: '0x05',
    } as const
    const writer = await log.openWriter('test')
    const other = { questionId: `${mint}:${startAtMs}:burst`, revision: 0, atMs: startAtMs, reason: 'burst' } as const
    for (const value of [codecs.derived.encode('HoldersAsked', asked), codecs.derived.encode('SafetyAsked', other)])
      await writer.append([{ topic: 'chain-b-derived', partition, key: mint, value }])
    const calls: string[] = []
    const holders = createHoldersLookup(async () => {
      calls.push('holders')
      return []
    })
    const check = async () => {
      calls.push('safety')
      throw new OperationError('provider_failed', 'it is away')
    }
    const lookups = [holders, createSafetyLookup({ name: 'provider', check })]
    for (const rounds of [6, 3]) {
      const stop = new AbortController()
      let left = rounds
      const delay = async () => {
        await setImmediate()
        if (left-- === 0) stop.abort()
      }
      const logger = pino({ level: 'silent' })
      await runLookups({
        chain: { stage: chainBStage, lookups },
        log,
        codecs,
        nowMs,
        logger,
        delay,
        signal: stop.signal,
      })
    }
    expect(calls).to.deep.equal(['holders', 'safety'])
    const answered = ({ questionId, revision }: Readonly<{ questionId: string; revision: number }>) => ({
      ...{ questionId, revision, answeredAtMs: startAtMs },
    })
    const answers = (await readRecords(log, 'chain-b-facts', codecs.facts)).map(({ key, record }) => [
      key,
      record?.type,
      { ...record?.data },
    ])
    expect(answers).to.deep.equal([
      [mint, 'HoldersAnswered', { ...answered(asked), holders: [], failure: null }],
      [mint, 'SafetyAnswered', { ...answered(other), provider: 'provider', report: null, failure: 'it is away' }],
    ])
  })
})
