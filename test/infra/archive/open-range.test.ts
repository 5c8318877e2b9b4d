import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openArchiveRange } from '../../../infra/archive/open-range.ts'
import { findRange, type ReplayEnd } from '../../../infra/replay/read-replay.ts'
import { type ReplayLog, realClock, replay } from '../../../infra/replay/replay.ts'
import { replayedStages, selectTopics } from '../../../infra/replay/replayed-topics.ts'
import { surveyReplay } from '../../../infra/replay/survey.ts'
import { hourMs } from '../../../schemas/units.ts'
import { expectFailure } from '../../contracts/log-contract.ts'
import { dayAfter, exportAll, type FilledLog, fillLog, firstDay, never } from './filled-log.ts'

const chainStages = replayedStages({ CHAIN_A_REORG_BLOCKS_MAX: 1200 })

describe('files as a log', () => {
  let root: string
  let folder: string
  let filled: FilledLog
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'launch-data-range-'))
    folder = join(root, 'archive')
    filled = await fillLog()
    await exportAll(filled, folder)
  })
  after(() => rm(root, { recursive: true, force: true }))

  type Range = Readonly<{ from: number; to: number }>
  const endOf = async (open: ReplayLog['open'], range: Range): Promise<ReplayEnd | null> => {
    let end: ReplayEnd | null = null
    const onEnd = (its: ReplayEnd) => {
      end = its
    }
    for await (const _ of replay({ ...range, onEnd, log: { open, stages: chainStages } }));
    return end
  }
  const openLog = () => ({ ...filled, holdFrom: () => {} })

  it('give a replay the same records and the same hash as the log', async () => {
    const start = firstDay.from + hourMs
    for (const to of [start + hourMs, firstDay.to, dayAfter(1).from + 6 * hourMs]) {
      const range = { from: start, to }
      const fromLog = await endOf(openLog(), range)
      expect(fromLog?.records).to.be.greaterThan(to > firstDay.to ? 3000 : 300)
      const files = await openArchiveRange(folder, range)
      expect(await endOf(files, range)).to.deep.equal(fromLog)
      await files.close()
    }
  })

  it('hold whole days, from the first instant to the last', async () => {
    const day = { from: firstDay.from, to: firstDay.to }
    // The log itself begins after the start of its first day.
    await expectFailure(endOf(openLog(), day), 'range_not_held')
    const both = { from: firstDay.from, to: dayAfter(1).to }
    const [first, next, whole] = await Promise.all(
      [day, { from: dayAfter(1).from, to: dayAfter(1).to }, both].map(async (range) =>
        endOf(await openArchiveRange(folder, range), range),
      ),
    )
    expect(first?.records).to.be.greaterThan(1000)
    expect(next?.records).to.be.greaterThan(10)
    expect((first?.records ?? 0) + (next?.records ?? 0)).to.equal(whole?.records)
  })

  it('can be counted without a replay', async () => {
    const range = { from: firstDay.from, to: firstDay.to }
    const open = await openArchiveRange(folder, range)
    const topics = selectTopics(chainStages, {})
    const found = await findRange({ ...{ open, topics, range }, clock: realClock, signal: never })
    const { counts, held } = await surveyReplay(found)
    const records = counts.reduce((sum, count) => sum + count.records, 0)
    expect(records).to.be.greaterThan(5000)
    expect(held.every(({ held: its }) => its?.from === firstDay.from)).to.equal(true)
  })

  it('refuse a range with a day that they do not have, and name their days', async () => {
    const message = (range: Range) => openArchiveRange(folder, range).then(() => 'no failure', String)
    expect(await message({ from: firstDay.from - 1, to: firstDay.to })).to.match(
      /It has the days 2026-01-01, 2026-01-02/,
    )
    expect(await message({ from: firstDay.from, to: dayAfter(9).to })).to.match(/range_not_held|does not hold/)
  })

  it('fail when a file is damaged that is read, and name it', async () => {
    const copy = join(root, 'copy')
    await cp(folder, copy, { recursive: true })
    const path = 'topic=chain-b-facts/day=2026-01-01/part-1.parquet'
    const bytes = await readFile(join(copy, path))
    bytes[100] = (bytes[100] ?? 0) ^ 1
    await writeFile(join(copy, path), bytes)
    const range = { from: firstDay.from, to: firstDay.to }
    const message = await endOf(await openArchiveRange(copy, range), range).then(() => 'no failure', String)
    expect(message).to.contain(path).and.contain('SHA-256')
    await writeFile(join(copy, '_manifests/2026-01-02.json'), '{')
    await expectFailure(openArchiveRange(copy, range), 'archive_invalid')
  })
})
