import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { keepExporting } from '../../../../infra/command-line/archive/keep-exporting.ts'

const nowMs = Date.UTC(2026, 0, 8, 0, 5)

describe('a service with ARCHIVE_DIR', () => {
  let folder: string
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'launch-data-keep-')), 'archive')
  })
  afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }))

  /** Looks for days some times. `failureOf` gives the failure of the export of a day. */
  const keep = async (looks: number, failureOf: (day: string, look: number) => string | null) => {
    const stop = new AbortController()
    const asked: string[][] = [[]]
    const said: string[] = []
    const say = (level: string) => (text: unknown) => void said.push(`${level} ${String(text)}`)
    await keepExporting({
      ...{ folder, nowMs: () => nowMs, signal: stop.signal },
      logger: { info: say('info'), error: say('error') } as never,
      delay: async () => {
        if (asked.length === looks) stop.abort()
        else asked.push([])
      },
      exportDay: async (day) => {
        asked.at(-1)?.push(day)
        const failure = failureOf(day, asked.length)
        if (failure !== null) return failure
        await mkdir(join(folder, '_manifests'), { recursive: true })
        await writeFile(join(folder, '_manifests', `${day}.json`), '')
        return null
      },
    })
    return { asked, said }
  }

  it('exports the finished days that the log can hold, oldest first, each one time', async () => {
    const { asked, said } = await keep(2, () => null)
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
    const { asked, said } = await keep(3, (day, look) => (look < 3 ? (failures[day] ?? null) : null))
    expect(asked.slice(1)).to.deep.equal([
      ['2026-01-06', '2026-01-07'],
      ['2026-01-06', '2026-01-07'],
    ])
    expect(said.filter((text) => text.startsWith('error'))).to.deep.equal(
      Array(2).fill('error the day 2026-01-07 was not exported. the disk is full'),
    )
  })

  it('removes what an earlier export left, and says when the folder cannot be used', async () => {
    await mkdir(join(folder, '.unfinished-2026-01-07'), { recursive: true })
    await keep(1, () => 'there is nothing (nothing_found)')
    expect(await readdir(folder)).to.deep.equal([])
    await rm(folder, { recursive: true })
    await writeFile(folder, 'a file')
    expect((await keep(1, () => null)).said).to.have.lengthOf(1)
  })
})
