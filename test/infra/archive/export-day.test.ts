import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Exporting, exportDay, surveyDay } from '../../../infra/archive/export-day.ts'
import { readManifest } from '../../../infra/archive/manifest.ts'
import { openParquetFile, rowsOf } from '../../../infra/archive/parquet-file.ts'
import { filesIn } from '../../../infra/backup/files.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { expectFailure } from '../../contracts/log-contract.ts'
import { second } from '../../support/builders/build-facts.ts'
import { type Step, stepsOfSwaps, writeSteps } from '../replay/drawn-log.ts'
import { dayAfter, firstDay, laterMs, never, stages } from './filled-log.ts'

/** The seconds of swaps on the first day and at the start of the second. Each is known 2 s later. */
const atSeconds = [0, 1, 2, 200, 86_397, 86_398, 86_400]

describe('an export of a day', () => {
  let root: string
  let folder: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'launch-data-export-'))
    folder = join(root, 'archive')
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  const openLog = async (steps = stepsOfSwaps(atSeconds)) => {
    let nowMs = second(0)
    const log = createMemoryLog({ nowMs: () => nowMs })
    const registry = createMemoryRegistry()
    await writeSteps(log, registry, steps)
    return {
      log,
      registry,
      setNow: (atMs: number) => {
        nowMs = atMs
      },
    }
  }
  const make = async (changes: Partial<Exporting> = {}) =>
    exportDay({
      ...{ open: changes.open ?? (await openLog()), stages, folder, form: 'archive', day: firstDay },
      ...{ nowMs: () => laterMs, signal: never, ...changes },
    })
  const messageOf = (work: Promise<unknown>) => work.then(() => 'no failure', String)

  it('has a file for each partition, with the records that became known on that day', async () => {
    const manifest = await make()
    expect((await filesIn(folder)).filter((path) => path.startsWith('topic='))).to.deep.equal(
      ['chain-a-derived', 'chain-a-facts'].flatMap((topic) =>
        [0, 1, 2, 3].map((partition) => `topic=${topic}/day=2026-01-01/part-${partition}.parquet`),
      ),
    )
    const of = (path: string) => manifest.files.find((file) => file.path === path)
    // The swap of the second 86,398 is known at midnight, so it belongs to the next day.
    expect(of('topic=chain-a-facts/day=2026-01-01/part-1.parquet')).to.include({
      ...{ rows: 10, fromOffset: 0, nextOffset: 10, firstOffset: 0, lastOffset: 9 },
      ...{ firstKnownAt: second(2), lastKnownAt: second(86_399) },
    })
    expect(of('topic=chain-a-facts/day=2026-01-01/part-0.parquet')).to.include({ rows: 5, nextOffset: 5 })
    expect(await readManifest(folder, '2026-01-01')).to.deep.equal(manifest)
    expect(await readdir(folder)).to.have.members(['_manifests', 'topic=chain-a-derived', 'topic=chain-a-facts'])
  })

  it('continues at the offset where the day before ends', async () => {
    const open = await openLog()
    const [first, next] = [await make({ open }), await make({ open, day: dayAfter(1) })]
    expect(next.files.map(({ fromOffset }) => fromOffset)).to.deep.equal(
      first.files.map(({ nextOffset }) => nextOffset),
    )
    expect(next.files.reduce((sum, { rows }) => sum + rows, 0)).to.equal(2 + 2 * 8)
  })

  it('gives the times in nanoseconds, exact amounts and their doubles, and the exact bytes', async () => {
    const open = await openLog()
    await make({ open })
    const file = await openParquetFile(join(folder, 'topic=chain-a-facts/day=2026-01-01/part-1.parquet'))
    const [row] = rowsOf(await file.readGroup(0), file.columns)
    const [batch] = await open.log.read({ topic: 'chain-a-facts', partition: 1, offset: 0 })
    expect(row).to.include({
      ...{ ts_event: BigInt(second(0)) * 1_000_000n, ts_recv: BigInt(second(2)) * 1_000_000n },
      ...{ topic: 'chain-a-facts', partition: 1n, offset: 0n, type: 'Swap', key: '0x01' },
      ...{ ethWei: '100000000000000000', ethWei_double: 1e17 },
    })
    expect(Buffer.from(row?.value as Uint8Array)).to.deep.equal(batch?.valueAt(0))
  })

  it('lists the gaps of more than a minute, the versions of the rules, and the schemas', async () => {
    const { stages: of, schemas } = await make()
    expect(of).to.deep.equal([
      {
        stage: 'chain-a',
        rulesVersions: [stages[0]?.stage.rulesVersion],
        gaps: [
          { from: second(4), to: second(202) },
          { from: second(202), to: second(86_399) },
        ],
      },
    ])
    expect(schemas.map(({ topic, schema }) => `${topic} ${schema.name}`).sort()).to.deep.equal([
      'chain-a-derived Tick',
      'chain-a-facts Swap',
      'chain-a-facts Tick',
    ])
  })

  it('is only for its owner', async () => {
    await make()
    for (const name of ['', ...(await readdir(folder, { recursive: true }))]) {
      const stats = await stat(join(folder, name))
      expect(stats.mode & 0o777, name).to.equal(stats.isFile() ? 0o600 : 0o700)
    }
    await chmod(folder, 0o755)
    expect(await messageOf(make({ day: dayAfter(1) }))).to.match(/others may read .*Run: chmod 700/)
  })

  it('refuses a day that the folder already has, and changes nothing', async () => {
    const before = await make()
    await expectFailure(make(), 'folder_unusable')
    expect(await readManifest(folder, firstDay.name)).to.deep.equal(before)
  })

  it('counts the same without writing', async () => {
    const open = await openLog()
    const { topics, stages: of } = await surveyDay({
      ...{ open, stages, folder, form: 'archive', day: firstDay },
      ...{ nowMs: () => laterMs, signal: never },
    })
    expect(existsSync(folder)).to.equal(false)
    const made = await make({ open })
    for (const { topic, rows, logBytes } of topics) {
      const files = made.files.filter((file) => file.topic === topic)
      expect(rows).to.equal(files.reduce((sum, file) => sum + file.rows, 0))
      expect(logBytes).to.equal(files.reduce((sum, file) => sum + file.logBytes, 0))
    }
    expect(of).to.deep.equal(made.stages)
  })

  it('refuses a day that ingest has not reached, until ten minutes after its end', async () => {
    const open = await openLog(stepsOfSwaps(atSeconds.slice(0, 5)))
    const until = (atMs: number) => make({ open, nowMs: () => atMs })
    expect(await messageOf(until(firstDay.to + 599_999))).to.match(/ingest of chain-a has only reached .* \(?/)
    expect((await until(firstDay.to + 600_000)).files).to.have.lengthOf(8)
  })

  it('refuses a day that the stage has not processed', async () => {
    const steps = stepsOfSwaps(atSeconds).map(({ records, tick }, index) => ({
      records,
      tick: index < 3 ? tick : tick.filter(({ topic }) => topic === 'chain-a-facts'),
    }))
    const message = await messageOf(make({ open: await openLog(steps) }))
    expect(message).to.match(/the stage chain-a has only reached 2026-01-01T00:00:04.000Z. Run the service/)
    const none = steps.map(({ records, tick }) => ({
      records,
      tick: tick.filter(({ topic }) => topic === 'chain-a-facts'),
    }))
    expect(await messageOf(make({ open: await openLog(none) }))).to.match(/has processed nothing of it/)
    expect(existsSync(folder)).to.equal(false)
  })

  it('refuses a day of which retention removed records', async () => {
    const open = await openLog(stepsOfSwaps(atSeconds.slice(0, 3)))
    open.setNow(second(8 * 86_400))
    await writeSteps(open.log, open.registry, stepsOfSwaps(atSeconds).slice(3))
    await open.log.maintain(second(8 * 86_400))
    expect(await messageOf(make({ open }))).to.match(
      /chain-a-facts begins at 2026-01-01T00:03:22.000Z, because retention/,
    )
    expect((await make({ open, day: dayAfter(1) })).files[0]?.fromOffset).to.be.greaterThan(0)
  })

  /** The same steps on the topics of chain B, without records. */
  const onChainB = (steps: readonly Step[]): Step[] =>
    steps.map(({ tick }) => ({
      records: [],
      tick: tick.map((record) => ({ ...record, topic: record.topic.replace('chain-a', 'chain-b') })),
    }))

  it('refuses a day that retention removed of one chain, and that another chain that has stopped still has', async () => {
    const open = await openLog([...stepsOfSwaps(atSeconds), ...onChainB(stepsOfSwaps(atSeconds))])
    open.setNow(second(9 * 86_400))
    await writeSteps(open.log, open.registry, stepsOfSwaps([...atSeconds, 2 * 86_400, 3 * 86_400]).slice(-2))
    await open.log.maintain(second(9 * 86_400))
    expect(await messageOf(make({ open }))).to.match(
      /chain-a-facts begins at 2026-01-03T00:00:02.000Z, because retention removed earlier records/,
    )
    expect(existsSync(folder)).to.equal(false)
  })

  it('lists a chain that stopped before the day with a gap over the whole day', async () => {
    const day = dayAfter(1)
    const open = await openLog([...stepsOfSwaps(atSeconds), ...onChainB(stepsOfSwaps([0, 200]))])
    const { stages: of, files } = await make({ open, day })
    const gap = { from: day.from, to: day.to }
    expect(of.find(({ stage }) => stage === 'chain-b')).to.deep.equal({
      ...{ stage: 'chain-b', rulesVersions: [], gaps: [gap] },
    })
    expect(files.some(({ topic }) => topic.startsWith('chain-b'))).to.equal(false)
    const before = { open, stages, folder: join(root, 'other'), form: 'archive', day } as const
    expect((await surveyDay({ ...before, nowMs: () => laterMs, signal: never })).stages).to.deep.equal(of)
  })

  it('does not list a chain that began after the day', async () => {
    const ofLater = onChainB(stepsOfSwaps([86_400, 86_401]))
    const { stages: of } = await make({ open: await openLog([...stepsOfSwaps(atSeconds), ...ofLater]) })
    expect(of.map(({ stage }) => stage)).to.deep.equal(['chain-a'])
  })

  it('refuses a day on which nothing ran', async () => {
    await expectFailure(make({ day: dayAfter(2) }), 'nothing_found')
    await expectFailure(make({ day: dayAfter(-1) }), 'nothing_found')
  })

  it('leaves nothing if it is stopped', async () => {
    await expectFailure(make({ signal: AbortSignal.abort() }), 'interrupted')
    expect(await readdir(folder)).to.deep.equal([])
  })

  it('does not touch the files of another export, and replaces those of one that was killed', async () => {
    const draft = join(folder, `.unfinished-${firstDay.name}`)
    await mkdir(folder, { mode: 0o700 })
    await mkdir(draft)
    expect(await messageOf(make())).to.match(/is left from an export .* If no export is running, delete it/)
    await rm(draft, { recursive: true })
    const left = join(folder, 'topic=chain-a-facts/day=2026-01-01')
    await mkdir(left, { recursive: true })
    await writeFile(join(left, 'part-9.parquet'), 'left')
    await make()
    expect(await readdir(left)).to.not.include('part-9.parquet')
  })
})
