import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { importArchive } from '../../../infra/archive/import-archive.ts'
import { readManifest, writeManifest } from '../../../infra/archive/manifest.ts'
import { prepareSchemas } from '../../../infra/codec/prepare-schemas.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { openLog } from '../../../infra/log/open-log.ts'
import { topics } from '../../../schemas/topics.ts'
import { expectFailure, fact } from '../../contracts/log-contract.ts'
import { contentOf, exportAll, type FilledLog, fillLog, firstDay, never } from './filled-log.ts'

describe('an import of files', () => {
  let root: string
  let folder: string
  let filled: FilledLog
  let expected: Awaited<ReturnType<typeof contentOf>>
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'launch-data-import-'))
    folder = join(root, 'archive')
    filled = await fillLog()
    expected = await contentOf(filled.log)
    await exportAll(filled, folder)
  })
  after(() => rm(root, { recursive: true, force: true }))

  const memoryTarget = async () => {
    let publishedAtMs = 0
    const registry = createMemoryRegistry()
    const atPublished = (atMs: number) => {
      publishedAtMs = atMs
    }
    return { log: createMemoryLog({ nowMs: () => publishedAtMs }), registry, atPublished }
  }

  it('gives every topic of both chains and the chats again, equal to the byte', async () => {
    const target = await memoryTarget()
    await prepareSchemas(target.registry, topics)
    const { records, newIds } = await importArchive({ folder, target, signal: never })
    expect(await contentOf(target.log)).to.deep.equal(expected)
    expect([records, newIds]).to.deep.equal([Object.values(expected).flat().length, 0])
    // Both chains have restatements, and every partition has records.
    for (const topic of ['chain-a-derived', 'chain-b-derived']) {
      const all = Object.entries(expected).flatMap(([id, records]) => (id.startsWith(topic) ? records : []))
      const ids = all.map((record) => Number.parseInt(record.split(' ')[2]?.slice(2, 10) ?? '', 16))
      const names = await Promise.all([...new Set(ids)].map(async (id) => (await filled.registry.fetch(id))?.name))
      expect(names, topic).to.include('Restated')
    }
    for (const [id, all] of Object.entries(expected)) expect(all.length, id).to.be.greaterThan(100)
  })

  it('gives the embedded log the same records', async () => {
    let publishedAtMs = 0
    const open = await openLog({ dataDir: join(root, 'data'), nowMs: () => publishedAtMs })
    try {
      const atPublished = (atMs: number) => {
        publishedAtMs = atMs
      }
      await importArchive({ folder, target: { ...open, atPublished }, signal: never })
      expect(await contentOf(open.log)).to.deep.equal(expected)
      const again = importArchive({ folder, target: { ...open, atPublished }, signal: never })
      await expectFailure(again, 'import_target_used')
      expect(await contentOf(open.log)).to.deep.equal(expected)
    } finally {
      await open.close()
    }
  })

  it('gives records the ids that their schemas have in the log', async () => {
    const target = await memoryTarget()
    // The first id of this registry belongs to a schema of another topic.
    await target.registry.register('other', { type: 'record', name: 'Other', namespace: 'other', fields: [] })
    const { newIds } = await importArchive({ folder, target, signal: never })
    expect(newIds).to.be.greaterThan(10)
    const found = await contentOf(target.log)
    const withoutIds = (content: typeof expected) =>
      Object.values(content).map((all) => all.map((record) => record.replace(/ 00[0-9a-f]{8}/, ' ')))
    expect(found).to.not.deep.equal(expected)
    expect(withoutIds(found)).to.deep.equal(withoutIds(expected))
  })

  it('refuses a log that has records of the topics', async () => {
    const target = await memoryTarget()
    await (await target.log.openWriter('w')).append([fact(3, 'a')])
    await expectFailure(importArchive({ folder, target, signal: never }), 'import_target_used')
    expect((await target.log.bounds('chain-a-facts', 0)).endOffset).to.equal(0)
  })

  it('refuses damaged files, and days that do not follow each other, and imports nothing', async () => {
    const target = await memoryTarget()
    const path = join(folder, 'topic=chat-posts/day=2026-01-01/part-0.parquet')
    const bytes = await readFile(path)
    await writeFile(path, bytes.subarray(1))
    await expectFailure(importArchive({ folder, target, signal: never }), 'archive_invalid')
    await writeFile(path, bytes)
    const { format: _, ...content } = await readManifest(folder, firstDay.name)
    const place = join(folder, '_manifests', `${firstDay.name}.json`)
    const files = content.files.map((file) => ({ ...file, nextOffset: file.nextOffset - 1 }))
    await writeManifest(place, { ...content, files })
    const message = await importArchive({ folder, target, signal: never }).then(() => 'no failure', String)
    expect(message).to.match(/day=2026-01-02\/part-0.parquet does not continue the day before: it begins at offset/)
    await writeManifest(place, { ...content, form: 'public' })
    expect(await importArchive({ folder, target, signal: never }).then(() => '', String)).to.match(/public files/)
    await writeManifest(place, content)
    for (const [id, all] of Object.entries(await contentOf(target.log))) expect(all, id).to.have.lengthOf(0)
  })

  it('stops when it is told to', async () => {
    const target = await memoryTarget()
    const stop = new AbortController()
    const atPublished = () => stop.abort()
    const stopped = importArchive({ folder, target: { ...target, atPublished }, signal: stop.signal })
    expect(
      await stopped.then(
        () => '',
        (error: Error) => error.name,
      ),
    ).to.equal('AbortError')
  })
})
