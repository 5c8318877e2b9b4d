import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEmbeddedRegistry, openEmbeddedRegistryReader } from '../../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../../../infra/codec/schema-codec.ts'
import { createEmbeddedLog } from '../../../../infra/log/embedded/embedded-log.ts'
import { createEmbeddedReader } from '../../../../infra/log/embedded/embedded-reader.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { recordOf } from '../../../../schemas/avro.ts'
import { topics } from '../../../../schemas/topics.ts'
import { describeLogContract, expectFailure, fact, valuesOf } from '../../../contracts/log-contract.ts'
import { makeOfBefore } from './log-of-before.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const startAtMs = Date.UTC(2026, 0, 1, 12)

describe('embedded log, opened to be read', () => {
  let root: string
  let dataDir: string
  let nowMs: number
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'embedded-reader-'))
  })
  beforeEach(() => {
    dataDir = mkdtempSync(join(root, 'log-'))
    nowMs = startAtMs
  })
  after(() => rmSync(root, { recursive: true }))

  const openOwner = () => createEmbeddedLog({ dataDir, nowMs: () => nowMs })
  const openReader = () => createEmbeddedReader(dataDir)

  describeLogContract('embedded log, read beside its owner', {
    create: (clock) => ownedAndRead(mkdtempSync(join(root, 'log-')), clock),
    runCount: 10,
  })

  it('fails if the folder does not exist or holds no log, and makes nothing', async () => {
    await expectFailure(createEmbeddedReader(join(dataDir, 'nowhere')), 'log_missing')
    await expectFailure(openReader(), 'log_missing')
    expect(readdirSync(dataDir)).to.deep.equal([])
  })

  it('does not read a log from before checksums, and leaves it as it is', async () => {
    const owner = await openOwner()
    await (await owner.openWriter('w')).append([fact(0, 'a')])
    await owner.close()
    await makeOfBefore(dataDir)
    const before = contentsOf(dataDir)
    await expectFailure(openReader(), 'log_failed')
    expect(contentsOf(dataDir)).to.deep.equal(before)
  })

  it('writes nothing of the log', async () => {
    const owner = await openOwner()
    const registry = await createEmbeddedRegistry({ dataDir })
    await createSchemaCodec(topics['chain-a-facts'], registry)
    await (await owner.openWriter('w')).append([fact(0, 'a'), { ...fact(1, 'b'), topic: 'chain-a-derived' }])
    await owner.close()
    await registry.close()
    const before = contentsOf(dataDir)
    const reader = await openReader()
    const schemas = await openEmbeddedRegistryReader(dataDir)
    await createSchemaCodec(topics['chain-b-facts'], schemas)
    expect(await valuesOf(reader, 'chain-a-facts', 0)).to.deep.equal(['a'])
    expect(await valuesOf(reader, 'chain-a-derived', 1)).to.deep.equal(['b'])
    await reader.close()
    await schemas.close()
    expect(contentsOf(dataDir)).to.deep.equal(before)
    expect(readdirSync(join(dataDir, 'readers'))).to.deep.equal([])
  })

  it('gives a schema that the table lacks an id that no record has', async () => {
    const registry = await createEmbeddedRegistry({ dataDir })
    const schema = (name: string) => recordOf(name, [{ name: 'x', type: 'int' }])
    expect(await registry.register('s', schema('A'))).to.equal(1)
    const reader = await openEmbeddedRegistryReader(dataDir)
    expect(await reader.register('s', schema('A'))).to.equal(1)
    const ids = [await reader.register('t', schema('B')), await reader.register('u', schema('C'))]
    expect(Math.min(...ids)).to.be.greaterThan(1_000_000)
    expect(new Set(ids).size).to.equal(2)
    expect(await registry.register('t', schema('B'))).to.equal(2)
    expect(await reader.fetch(2)).to.deep.equal(schema('B'))
    const other = recordOf('A', [{ name: 'y', type: 'int' }])
    await expectFailure(reader.register('s', other), 'schema_incompatible')
    await reader.close()
    await registry.close()
  })

  describe('while retention runs', () => {
    const topic = 'chain-a-facts'
    let owner: Log
    beforeEach(async () => {
      owner = await openOwner()
      const writer = await owner.openWriter('w')
      for (let day = 0; day < 9; day++) {
        // A day expires seven days after its end. So the first day expires 4 h before the last append, less
        // than the six hours for which the owner waits.
        nowMs = day === 0 ? Date.UTC(2026, 0, 1, 23, 30) : Date.UTC(2026, 0, 1 + day, 4)
        await writer.append([fact(0, `${day}`), { ...fact(0, `${day}`), topic: 'chat-posts' }])
      }
    })
    afterEach(() => owner.close())

    it('keeps what it reads, until it gives that up', async () => {
      const reader = await openReader()
      await owner.maintain(nowMs)
      expect(await valuesOf(reader, topic, 0)).to.have.lengthOf(9)
      expect(await valuesOf(reader, 'chat-posts', 0)).to.have.lengthOf(9)
      reader.holdFrom(startAtMs + 2 * dayMs)
      await owner.maintain(nowMs)
      expect((await valuesOf(reader, topic, 0))[0]).to.equal('1')
      expect((await valuesOf(reader, 'chat-posts', 0))[0]).to.equal('1')
      await reader.close()
    })

    it('waits for it six hours, not longer', async () => {
      const reader = await openReader()
      // The first day expires at this time, because it ended seven days before.
      const dueAtMs = Date.UTC(2026, 0, 9)
      const writer = await owner.openWriter('w')
      for (const [afterHours, kept] of [
        [5, '0'],
        [7, '1'],
      ] as const) {
        nowMs = dueAtMs + afterHours * hourMs
        await writer.append([fact(0, `after ${afterHours} hours`)])
        await owner.maintain(nowMs + 30 * dayMs)
        expect((await valuesOf(reader, topic, 0))[0], `after ${afterHours} hours`).to.equal(kept)
      }
      await reader.close()
    })

    it('does not wait for one that has closed or died', async () => {
      await (await openReader()).close()
      mkdirSync(join(dataDir, 'readers'), { recursive: true })
      const dead = { pid: process.pid, startedAt: 'another time', fromAtMs: 0 }
      writeFileSync(join(dataDir, 'readers', 'dead'), JSON.stringify(dead))
      writeFileSync(join(dataDir, 'readers', 'broken'), '{')
      await owner.maintain(nowMs)
      expect(await valuesOf(owner, topic, 0)).to.deep.equal(['1', '2', '3', '4', '5', '6', '7', '8'])
      expect(readdirSync(join(dataDir, 'readers'))).to.deep.equal(['broken'])
    })
  })
})

/** Returns a log whose writes go through the owner and whose reads go through a reader. */
async function ownedAndRead(dataDir: string, clock: () => number): Promise<Log> {
  const owner = await createEmbeddedLog({ dataDir, nowMs: clock })
  const reader = await createEmbeddedReader(dataDir)
  let isClosed = false
  return {
    ...owner,
    read: reader.read,
    bounds: reader.bounds,
    waitForAppend: reader.waitForAppend,
    async maintain(nowMs) {
      // Without this call, retention would wait for the reader.
      if (!isClosed) reader.holdFrom(nowMs)
      await owner.maintain(nowMs)
    },
    async close() {
      isClosed = true
      await reader.close()
      await owner.close()
    },
  }
}

/**
 * Returns the hashes of the data files. The lock files are left out, because LMDB stores the slots of readers
 * in them.
 */
function contentsOf(dataDir: string): Readonly<Record<string, string>> {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'lock.mdb')
    .map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(files.map((file) => [file, createHash('sha256').update(readFileSync(file)).digest('hex')]))
}
