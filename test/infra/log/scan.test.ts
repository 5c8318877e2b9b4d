import { expect } from 'chai'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { scan } from '../../../infra/log/scan.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { fact } from '../../contracts/log-contract.ts'

describe('scanning a partition', () => {
  it('continues with the record after the one at which it stopped, also within one append', async () => {
    const log = createMemoryLog({ nowMs: () => 0 })
    const writer = await log.openWriter('w')
    for (const texts of [['a', 'b', 'c'], ['d'], ['e', 'f']]) await writer.append(texts.map((text) => fact(0, text)))
    const { facts } = await createIngestCodecs(chainAStage, createMemoryRegistry())
    const source = { log, topic: 'chain-a-facts', partition: 0, codec: facts } as const
    const seen: string[] = []
    for (let offset = 0; seen.length < 6; )
      offset = await scan(source, offset, ({ value }) => {
        seen.push(String(value))
        return 'stop'
      })
    expect(seen).to.deep.equal(['a', 'b', 'c', 'd', 'e', 'f'])
    expect(await scan(source, 4, () => undefined)).to.equal(6)
  })
})
