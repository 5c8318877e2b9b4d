import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { exportDay } from '../../../../infra/archive/export-day.ts'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { second } from '../../../support/builders/build-facts.ts'
import { firstDay, laterMs, never, stages } from '../../archive/filled-log.ts'
import { stepsOfSwaps, writeSteps } from '../../replay/drawn-log.ts'

describe('launch-data export, verify and import', () => {
  let root: string
  let folder: string
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'launch-data-run-archive-'))
    folder = join(root, 'archive')
    const open = { log: createMemoryLog({ nowMs: () => second(0) }), registry: createMemoryRegistry() }
    await writeSteps(open.log, open.registry, stepsOfSwaps([0, 1, 2, 3]))
    const exporting = { ...{ open, stages, folder, day: firstDay, signal: never }, form: 'archive' } as const
    await exportDay({ ...exporting, nowMs: () => laterMs })
  })
  after(() => rm(root, { recursive: true, force: true }))

  const launchData = (...args: readonly string[]) => {
    const env = { ...process.env, DATA_DIR: join(root, 'data'), ARCHIVE_DIR: join(root, 'again'), LOG_LEVEL: 'warn' }
    const { status, stdout, stderr } = spawnSync(process.execPath, ['infra/command-line/launch-data.js', ...args], {
      ...{ encoding: 'utf8', env, timeout: 60_000 },
    })
    return { status, text: `${stdout}${stderr}` }
  }

  it('bring a day from files to a log, and from the log to files again, and replay both alike', () => {
    expect(launchData('verify', folder)).to.deep.include({ status: 0 })
    expect(launchData('import', folder).text).to.match(/^imported 36 records in 8 files/)
    expect(launchData('import', folder)).to.satisfy(({ status, text }: { status: number; text: string }) =>
      Boolean(status === 1 && /Import into an empty log/.test(text)),
    )
    expect(launchData('export', '--day', firstDay.name, '--dry').text).to.match(/chain-a-facts +20 records/)
    expect(launchData('export', '--day', firstDay.name).text).to.match(/exported 2026-01-01 .* 36 records/)
    const range = ['--from', String(second(2)), '--to', String(second(5))]
    const [fromLog, fromFiles] = [
      launchData('replay', ...range),
      launchData('replay', '--files', join(root, 'again'), ...range),
    ]
    expect(fromLog.text).to.match(/"type":"ReplayEnd".*"records":6/)
    expect(fromFiles.text.trim().split('\n').at(-1)).to.equal(fromLog.text.trim().split('\n').at(-1))
  })

  it('refuse a public export without the secrets of the service, and damaged files', async () => {
    const shared = launchData('export', '--day', firstDay.name, '--form', 'public', '--folder', join(root, 'public'))
    expect([shared.status, shared.text]).to.match(/2,.*Set CALLER_ID_SECRET and RULE_ID_SECRET/)
    await writeFile(join(folder, 'topic=chain-a-facts/day=2026-01-01/part-2.parquet'), 'damaged')
    const { status, text } = launchData('verify', folder)
    expect([status, text]).to.match(/1,topic=chain-a-facts\/day=2026-01-01\/part-2.parquet: it has 7 bytes/)
  })
})
