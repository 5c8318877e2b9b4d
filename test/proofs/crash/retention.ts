/**
 * Kills a process while the log deletes old days. The log first forgets the days, and then removes their
 * folders. The kill comes in between.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createEmbeddedLog } from '../../../infra/log/embedded/embedded-log.ts'
import { readAll } from '../../replay/stage-log.ts'
import { type CampaignReport, countKill } from './campaign-report.ts'
import { type ChildJob, runChild, span } from './killer.ts'

const dayMs = 86_400_000
const firstDayMs = Date.UTC(2026, 0, 1)
/** Facts are kept for seven days before the newest fact, so two of these days are too old. */
const dayCount = 10

/** The job of the child. It adds a fact to each day that has none, and then runs retention. */
export async function writeAndRetain(dataDir: string): Promise<void> {
  let nowMs = firstDayMs
  const log = await createEmbeddedLog({ dataDir, nowMs: () => nowMs })
  const writer = await log.openWriter('retention')
  for (let day = (await log.bounds('chain-a-facts', 0)).endOffset; day < dayCount; day++) {
    nowMs = firstDayMs + day * dayMs
    await writer.append([{ topic: 'chain-a-facts', partition: 0, key: 'day', value: Buffer.from(`day ${day}`) }])
  }
  await log.maintain(firstDayMs + dayCount * dayMs)
  await log.close()
}

/**
 * After the kill, the readable facts must be the same as in a run without kills. The next run must free the
 * disk space.
 */
export async function playRetention(root: string, count: number, report: CampaignReport): Promise<void> {
  const calm: ChildJob = { job: 'retain', dataDir: join(root, 'retention-calm'), span }
  await runChild(calm)
  const expected = await kept(calm.dataDir)
  for (let turn = 0; turn < count; turn++) {
    const job = { ...calm, dataDir: join(root, `retention-${turn}`) }
    const { ending } = await runChild({ ...job, crash: { name: 'retention-days-forgotten', hit: 1 } })
    if (ending === 'killed') countKill(report, 'retention-days-forgotten')
    const killed = await kept(job.dataDir)
    await runChild(job)
    const after = await kept(job.dataDir)
    if (killed.records !== expected.records)
      report.mismatches.push(`retention ${turn}: ${killed.records} after the kill`)
    if (after.records !== expected.records || after.folders !== expected.folders)
      report.mismatches.push(`retention ${turn}: ${after.records} in ${after.folders} after the restart`)
  }
}

async function kept(dataDir: string): Promise<Readonly<{ records: string; folders: string }>> {
  const log = await createEmbeddedLog({ dataDir, nowMs: () => firstDayMs })
  const records = await readAll(log, 'chain-a-facts', 0)
  await log.close()
  const folder = join(dataDir, 'log', 'chain-a-facts')
  return {
    records: records.map(({ offset, value }) => `${offset} ${value}`).join(),
    folders: existsSync(folder) ? readdirSync(folder).sort().join() : '',
  }
}
