import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { dayAt } from '../../../../infra/archive/days.ts'
import { exportDay as exportToFiles } from '../../../../infra/archive/export-day.ts'
import { verifyArchive } from '../../../../infra/archive/verify.ts'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { keepExporting } from '../../../../infra/command-line/archive/keep-exporting.ts'
import { describeFailure } from '../../../../infra/command-line/describe-failure.ts'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { hourMs, minuteMs } from '../../../../schemas/units.ts'
import { dayAfter, type FilledLog, firstDay, never, stages } from '../../archive/filled-log.ts'
import { stepsOfSwaps, writeSteps } from '../../replay/drawn-log.ts'

const nowMs = Date.UTC(2026, 0, 8, 0, 5)

describe('a service with ARCHIVE_DIR', () => {
  let folder: string
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'launch-data-keep-')), 'archive')
  })
  afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }))

  type Looks = Readonly<{
    count: number
    fromMs?: number
    /** Called before the first look with 1, before the second with 2 and so on. */
    before?: (look: number) => Promise<unknown>
    /** Exports a day at a look. Returns the failure, if any. Default: writes only the manifest. */
    exportDay?: (day: string, look: number) => Promise<string | null>
  }>

  /** Looks for days some times. The clock moves by the delay between looks. */
  const keep = async ({ count, fromMs = nowMs, before: prepare, exportDay: run = writeManifest }: Looks) => {
    const stop = new AbortController()
    let clockMs = fromMs
    const asked: string[][] = [[]]
    const said: string[] = []
    const failed: number[] = []
    const say = (level: string) => (first: unknown, text?: string) => void said.push(`${level} ${text ?? first}`)
    await prepare?.(1)
    await keepExporting({
      ...{ folder, nowMs: () => clockMs, signal: stop.signal, onLook: (days) => void failed.push(days) },
      logger: { info: say('info'), error: say('error') } as never,
      delay: async (durationMs) => {
        clockMs += durationMs
        if (asked.length === count) return stop.abort()
        asked.push([])
        await prepare?.(asked.length)
      },
      exportDay: async (day) => {
        asked.at(-1)?.push(day)
        return run(day, asked.length)
      },
    })
    return { asked, said, failed }
  }

  const writeManifest = async (day: string) => {
    await mkdir(join(folder, '_manifests'), { recursive: true })
    await writeFile(join(folder, '_manifests', `${day}.json`), '')
    return null
  }

  it('exports the finished days that the log can hold, oldest first, each one time', async () => {
    const { asked, said } = await keep({ count: 2 })
    const days = ['01', '02', '03', '04', '05', '06', '07'].map((day) => `2026-01-${day}`)
    expect(asked).to.deep.equal([days, []])
    expect(said.at(-1)).to.equal(`info exported the day 2026-01-07 to ${folder}`)
  })

  it('tries a day again that failed, and not a day without records', async () => {
    const failures: Readonly<Record<string, string>> = {
      '2026-01-05': 'there is nothing (nothing_found)',
      '2026-01-06': 'the stage is behind (range_not_held)',
      '2026-01-07': 'the disk is full',
    }
    const { asked, said, failed } = await keep({
      count: 4,
      exportDay: async (day, look) => (look < 3 && failures[day]) || writeManifest(day),
    })
    expect(failed).to.deep.equal([1, 1, 0, 0])
    expect(asked.slice(1)).to.deep.equal([['2026-01-06', '2026-01-07'], ['2026-01-06', '2026-01-07'], []])
    expect(said.filter((text) => text.startsWith('error'))).to.deep.equal(
      Array(2).fill('error the day 2026-01-07 was not exported. the disk is full'),
    )
  })

  it('removes what an earlier export left, but nothing later', async () => {
    const draft = join(folder, '.unfinished-2026-01-07')
    await mkdir(draft, { recursive: true })
    const exportDay = async () => 'there is nothing (nothing_found)'
    await keep({ count: 1, exportDay })
    expect(await readdir(folder)).to.deep.equal([])
    await keep({ count: 2, exportDay, before: async (look) => look === 2 && mkdir(draft) })
    expect(await readdir(folder)).to.deep.equal(['.unfinished-2026-01-07'])
  })

  it('says at each look that the folder cannot be used, and exports when it can', async () => {
    await writeFile(folder, 'a file')
    const { said, failed, asked } = await keep({ count: 3, before: async (look) => look === 3 && rm(folder) })
    expect(said.slice(0, 2)).to.deep.equal(
      Array(2).fill(`error ${folder} cannot be used, so no day was exported. Correct ARCHIVE_DIR or the folder`),
    )
    expect([failed, asked.map(({ length }) => length)]).to.deep.equal([
      [1, 1, 0],
      [0, 0, 7],
    ])
  })

  describe('over midnight', () => {
    const open: FilledLog = {
      log: createMemoryLog({ nowMs: () => firstDay.from }),
      registry: createMemoryRegistry(),
    }
    before(() => writeSteps(open.log, open.registry, stepsOfSwaps([0, 60, 86_000, 86_500, 2 * 86_400])))

    /** Exports for real. The text of a failure is that of the command. */
    const run = (fromMs: number, count: number) => {
      const at = (look: number) => fromMs + ((look - 1) * hourMs) / 2
      const exportDay = async (name: string, look: number) => {
        const exporting = {
          open,
          stages,
          folder,
          form: 'archive',
          day: dayAt(Date.parse(name)),
          signal: never,
        } as const
        return exportToFiles({ ...exporting, nowMs: () => at(look) }).then(() => null, describeFailure)
      }
      return keep({ count, fromMs, exportDay })
    }
    const exportedBy = ({ said }: Awaited<ReturnType<typeof run>>) =>
      said.flatMap((text) => /^info exported the day (\S+)/.exec(text)?.[1] ?? [])

    it('exports the day one time, also after a restart, and later the next day', async () => {
      const first = await run(firstDay.to - 50 * minuteMs, 4)
      expect(exportedBy(first)).to.deep.equal([firstDay.name])
      // The day is not over at the first two looks.
      expect(first.asked.map((days) => days.includes(firstDay.name))).to.deep.equal([false, false, true, false])
      expect(exportedBy(await run(firstDay.to + 2 * hourMs, 2))).to.deep.equal([])
      expect(exportedBy(await run(dayAfter(1).to - 10 * minuteMs, 3))).to.deep.equal([dayAfter(1).name])
      expect((await verifyArchive(folder, never)).faults).to.deep.equal([])
    })

    it('exports days that ended while the service was down', async () => {
      expect(exportedBy(await run(dayAfter(4).from, 1))).to.deep.equal([0, 1, 2].map((count) => dayAfter(count).name))
      expect((await verifyArchive(folder, never)).faults).to.deep.equal([])
    })
  })
})
