/** The process that the proof kills. It does one job on one data directory, and prints its progress. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { armCrashPoint } from '../../../infra/crash-points.ts'
import { openLog } from '../../../infra/log/open-log.ts'
import { rebuildTables } from '../../../projections/main.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { readContents } from './contents.ts'
import type { ChildJob } from './killer.ts'
import { type phaseEnds, spanShareWord } from './life.ts'
import { dieInTransaction } from './open-transaction.ts'
import { type PipelineOptions, runPipeline } from './pipeline.ts'
import { writeAndRetain } from './retention.ts'
import { confirmFirst } from './sabotage.ts'

const { job, dataDir, span, crash, outFile, payment } = JSON.parse(process.argv[2] ?? '') as ChildJob
if (crash) armCrashPoint(crash.name, crash.hit)
const say = (line: string) => void process.stdout.write(`${line}\n`)
const stop = new AbortController()
let isRunning = false
const pipeline: PipelineOptions = {
  dataDir,
  span,
  signal: stop.signal,
  onOpen: () => say('opened' satisfies keyof typeof phaseEnds),
  onStep: (spanShare) => {
    if (!isRunning) say('running' satisfies keyof typeof phaseEnds)
    isRunning = true
    say(`${spanShareWord} ${spanShare}`)
  },
  onStopping: () => say('stopping' satisfies keyof typeof phaseEnds),
}
let ending: 'done' | 'stopped' = 'done'

export async function main(): Promise<void> {
  switch (job) {
    case 'run':
      process.once('SIGTERM', () => stop.abort())
      if (!(await runPipeline(pipeline))) ending = 'stopped'
      break
    case 'runConfirmingFirst':
      await runPipeline({ ...pipeline, wrapDatabase: confirmFirst })
      break
    case 'rebuild':
      await rebuild()
      break
    case 'contents':
      writeFileSync(outFile ?? '', JSON.stringify(await readContents(dataDir)))
      break
    case 'pay':
      assert(payment)
      // Imported only here, because the import takes a second.
      await (await import('./payments.ts')).payOnce(dataDir, payment)
      break
    case 'retain':
      await writeAndRetain(dataDir)
      break
    case 'dieAsIngest':
      await dieInTransaction(dataDir, 'ingest')
      break
    case 'dieAsStage':
      await dieInTransaction(dataDir, 'stage')
      break
    default:
      job satisfies never
  }
  say(ending)
}

async function rebuild(): Promise<void> {
  const open = await openLog({ dataDir, nowMs: () => 0 })
  const { signal } = new AbortController()
  await rebuildTables({ ...open, database: { dataDir }, logger: silentLogger, signal })
  await open.close()
}
