import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEmbeddedRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { createEmbeddedLog } from '../../../../infra/log/embedded/embedded-log.ts'
import { topics } from '../../../../schemas/topics.ts'
import { expectFailure, fact, valuesOf } from '../../../contracts/log-contract.ts'
import { changeAll, valuesIn } from './changed-values.ts'
import { makeOfBefore } from './log-of-before.ts'

const dayMs = 86_400_000
const startAtMs = Date.UTC(2026, 0, 1, 12)

describe('a log of before checksums', () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'log-of-before-'))
  })
  afterEach(() => rmSync(dataDir, { recursive: true }))

  const open = (nowMs = startAtMs) => createEmbeddedLog({ dataDir, nowMs: () => nowMs })
  const writeOld = async (...texts: readonly string[]) => {
    const log = await open()
    const writer = await log.openWriter('w')
    for (const text of texts) await writer.append([fact(0, text), { ...fact(0, text), topic: 'addresses' }])
    await log.close()
    const registry = await createEmbeddedRegistry({ dataDir })
    await registry.register('s', Object.values(topics['chain-a-facts'].schemas ?? {})[0] as never)
    await registry.close()
    await makeOfBefore(dataDir)
  }

  it('is read and continued, and its writers are still fenced', async () => {
    await writeOld('a', 'b')
    const log = await open()
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['a', 'b'])
    const writer = await log.openWriter('w')
    await writer.append([fact(0, 'c')])
    await log.close()
    const again = await open()
    expect(await valuesOf(again, 'chain-a-facts', 0)).to.deep.equal(['a', 'b', 'c'])
    expect(await valuesOf(again, 'chain-a-facts', 0, 1, 1)).to.deep.equal(['b', 'c'])
    await again.close()
    const registry = await createEmbeddedRegistry({ dataDir })
    expect(await registry.fetch(1)).to.deep.include({ type: 'record' })
    await registry.close()
  })

  it('says how many records lack a checksum, until they are gone', async () => {
    await writeOld('a', 'b')
    const log = await open()
    expect(log.uncheckedCount()).to.equal(4)
    await (await log.openWriter('w')).append([fact(0, 'c')])
    expect(log.uncheckedCount()).to.equal(4)
    await log.close()
    const later = await open(startAtMs + 30 * dayMs)
    await (await later.openWriter('w')).append([fact(0, 'd')])
    await later.maintain(startAtMs + 30 * dayMs)
    expect(later.uncheckedCount()).to.equal(1)
    await later.close()
  })

  it('has no unchecked block among those that were written since, whatever their damage', async () => {
    await writeOld('a', 'b')
    const log = await open()
    await (await log.openWriter('w')).append([fact(0, 'c')])
    await log.close()
    await changeAll(dataDir, 'log/chain-a-facts/2026-01-01', (values) => ({
      '["block","chain-a-facts",0,2]': values.get('["block","chain-a-facts",0,1]') as Buffer,
    }))
    const damaged = await open()
    await expectFailure(valuesOf(damaged, 'chain-a-facts', 0), 'log_corrupt')
    await damaged.close()
  })

  it('is refused by the service of before once it has checksums, which reads another number of partitions', async () => {
    const log = await open()
    await (await log.openWriter('w')).append([fact(0, 'a')])
    await log.close()
    const values = await valuesIn(dataDir, 'log/main')
    expect(values.get('["count","chain-a-facts"]')?.readDoubleBE()).to.not.equal(topics['chain-a-facts'].partitionCount)
  })
})
