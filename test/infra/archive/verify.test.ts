import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { exportDay } from '../../../infra/archive/export-day.ts'
import { type Manifest, readManifest, writeManifest } from '../../../infra/archive/manifest.ts'
import { verifyArchive } from '../../../infra/archive/verify.ts'
import { filesIn } from '../../../infra/backup/files.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { expectFailure } from '../../contracts/log-contract.ts'
import { second } from '../../support/builders/build-facts.ts'
import { stepsOfSwaps, writeSteps } from '../replay/drawn-log.ts'
import { dayAfter, firstDay, laterMs, never, stages } from './filled-log.ts'

/** Damages the bytes of a file. `place` is a share of its length. Null removes the file. */
const damages: Readonly<Record<string, (bytes: Buffer, place: number) => Buffer | null>> = {
  'a flipped bit': (bytes, place) => {
    const changed = Buffer.from(bytes)
    const at = Math.floor(place * bytes.length)
    changed[at] = (bytes[at] ?? 0) ^ 1
    return changed
  },
  'a cut': (bytes, place) => bytes.subarray(0, Math.floor(place * bytes.length)),
  zeros: (bytes, place) =>
    Buffer.concat([bytes.subarray(0, Math.floor(place * bytes.length)), Buffer.alloc(1 + bytes.length)]),
  'a removed file': () => null,
}

describe('launch-data verify', () => {
  let root: string
  let whole: string
  let folder: string
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'launch-data-verify-'))
    whole = join(root, 'whole')
    const open = { log: createMemoryLog({ nowMs: () => second(0) }), registry: createMemoryRegistry() }
    await writeSteps(open.log, open.registry, stepsOfSwaps([0, 1, 2, 86_397, 86_400, 86_401]))
    for (const day of [firstDay, dayAfter(1)])
      await exportDay({ open, stages, folder: whole, form: 'archive', day, nowMs: () => laterMs, signal: never })
  })
  beforeEach(async () => {
    folder = join(root, 'copy')
    await cp(whole, folder, { recursive: true })
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))
  after(() => rm(root, { recursive: true, force: true }))

  const faults = async () => (await verifyArchive(folder, never)).faults
  const edit = async (change: (manifest: Manifest) => Manifest) => {
    const { format: _, ...content } = change(await readManifest(folder, firstDay.name))
    await writeManifest(join(folder, '_manifests', `${firstDay.name}.json`), content)
  }
  const withFirst = (changes: Partial<Manifest['files'][number]>) =>
    edit((manifest) => {
      const [first, ...rest] = manifest.files
      return { ...manifest, files: [{ ...(first as Manifest['files'][number]), ...changes }, ...rest] }
    })

  it('finds nothing in whole files', async () => {
    expect(await faults()).to.deep.equal([])
    expect((await verifyArchive(folder, never)).manifests.map(({ day }) => day)).to.deep.equal([
      '2026-01-01',
      '2026-01-02',
    ])
  })

  it('names the file that was damaged, wherever it was, and the reason', async () => {
    const paths = await filesIn(whole)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.constantFrom(...Object.keys(damages)),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        async (path, damage, place) => {
          // A removed manifest is another case: then no manifest lists the files of its day.
          fc.pre(!(path.startsWith('_') && damage === 'a removed file'))
          const bytes = await readFile(join(whole, path))
          const changed = damages[damage]?.(bytes, place) ?? null
          if (changed === null) await rm(join(folder, path))
          else await writeFile(join(folder, path), changed)
          const found = await faults()
          await writeFile(join(folder, path), bytes)
          const named = found.filter((fault) => fault.startsWith(`${path}: `))
          expect(named, `${path}, ${damage}: ${found}`).to.have.lengthOf(1)
          expect(named[0]).to.match(/missing|damaged|bytes, but/)
          // Without its manifest, the other files of the day are also reported.
          if (!path.startsWith('_')) expect(found).to.have.lengthOf(1)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('names both files that were swapped, and any file that was added', async () => {
    const paths = (await filesIn(whole)).filter((path) => path.startsWith('topic='))
    const pair = fc.uniqueArray(fc.constantFrom(...paths), { minLength: 2, maxLength: 2 })
    await fc.assert(
      fc.asyncProperty(pair, fc.nat(9), async ([left = '', right = ''], number) => {
        const [leftBytes, rightBytes] = [await readFile(join(whole, left)), await readFile(join(whole, right))]
        const added = `${dirname(left)}/part-1${number}.parquet`
        await writeFile(join(folder, left), rightBytes)
        await writeFile(join(folder, right), leftBytes)
        await writeFile(join(folder, added), leftBytes)
        const found = await faults()
        await writeFile(join(folder, left), leftBytes)
        await writeFile(join(folder, right), rightBytes)
        await rm(join(folder, added))
        // Partitions without records of their own have equal rows, but the column `partition` differs.
        expect(leftBytes.equals(rightBytes)).to.equal(false)
        expect(found.map((fault) => fault.split(': ')[0]).sort()).to.deep.equal([left, right, added].sort())
        for (const fault of found) expect(fault).to.match(/damaged|bytes, but|no manifest lists it/)
      }),
      { numRuns: 10 },
    )
  })

  it('notices any edit of a manifest, also one that keeps it readable', async () => {
    const path = '_manifests/2026-01-01.json'
    const text = await readFile(join(whole, path), 'utf8')
    const digits = [...text.matchAll(/\d/g)].map(({ index }) => index)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...digits), fc.integer({ min: 1, max: 9 }), async (at, by) => {
        const edited = `${text.slice(0, at)}${(Number(text[at]) + by) % 10}${text.slice(at + 1)}`
        await writeFile(join(folder, path), edited)
        const named = (await faults()).filter((fault) => fault.startsWith(`${path}: `))
        expect(named, text.slice(at - 20, at + 20)).to.have.lengthOf(1)
        expect(named[0]).to.match(/it is damaged|a later version/)
      }),
      { numRuns: 30 },
    )
  })

  it('names the files that no manifest lists', async () => {
    await rm(join(folder, '_manifests/2026-01-02.json'))
    expect(await faults()).to.have.lengthOf(8)
    expect((await faults())[0]).to.match(/^topic=chain-a-derived\/day=2026-01-02\/part-0.parquet: no manifest lists it/)
  })

  it('compares the rows with the manifest, not only the bytes of the file', async () => {
    await withFirst({ rows: 7 })
    expect(await faults()).to.match(/part-0.parquet: it has 4 rows, but the manifest says 7/)
    await withFirst({ rows: 4, rowsSha256: '0'.repeat(64) })
    expect(await faults()).to.match(/the SHA-256 of its rows differs from the manifest/)
    await cp(join(whole, '_manifests'), join(folder, '_manifests'), { recursive: true })
    await withFirst({ lastOffset: 5 })
    expect(await faults()).to.match(/its offsets are 0 to 3, but the manifest says 0 to 5/)
  })

  it('refuses a manifest of a later version, and one that leads to another place', async () => {
    const file = join(folder, '_manifests/2026-01-01.json')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace('"format": 1', '"format": 9'))
    expect(await faults()).to.match(/_manifests\/2026-01-01.json: a later version .*\(format 9\). Use that version/)
    await writeFile(file, text)
    await withFirst({ path: 'topic=x/../../../etc/part-0.parquet' })
    expect((await faults())[0]).to.match(/_manifests\/2026-01-01.json: it is damaged/)
  })

  it('refuses a folder without a manifest', async () => {
    await expectFailure(verifyArchive(join(root, 'nowhere'), never), 'archive_invalid')
    await rm(join(folder, '_manifests'), { recursive: true })
    await expectFailure(verifyArchive(folder, never), 'archive_invalid')
  })
})
