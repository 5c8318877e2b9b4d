/** The programs that run beside the API: their mains, each given the log that the configuration names. */
import { runIngestProgram } from '../../ingest/main.ts'
import { runProcessProgram } from '../../processors/main.ts'
import { runProjectionProgram } from '../../projections/main.ts'
import { logSettings, type OpenLog, openLog } from '../log/open-log.ts'
import type { ProgramContext, ProgramName } from '../program.ts'

type Main = (context: ProgramContext, open: OpenLog) => Promise<void>

const mains: Readonly<Record<ProgramName, Main>> = {
  ingest: runIngestProgram,
  process: runProcessProgram,
  project: runProjectionProgram,
}

/** Runs until the signal aborts or the program fails. */
export async function runProgram(program: ProgramName, context: ProgramContext): Promise<void> {
  const { config, logger } = context
  const open = await openLog(logSettings(config, { nowMs: Date.now, logger }))
  try {
    await mains[program](context, open)
  } finally {
    await open.close()
  }
}
