import { expect } from 'chai'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createHoldersLookup } from '../../../ingest/chain-b/lookups/holders.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { readOpenQuestions } from '../../../ingest/lookups/open-questions.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { createHoledLog } from '../../support/holed-log.ts'

const startAtMs = 1_795_000_000_000
const partition = 0

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

    const withdrawn = { recordType: 'HoldersAsked', atMs: startAtMs, txHash: null, logIndex: null }
    await append('one', codecs.derived.encode('Withdrawn', withdrawn))
    await ask('one')
    await ask('other')
    offset = await questions.readOn(partition, offset)
    const open = questions.next()
    expect(open?.asked.questionId).to.equal(`one:${startAtMs}`)
    if (open) questions.close(open)
    expect(questions.next()).to.equal(undefined)
  })
})
