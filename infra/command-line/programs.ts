/**
 * The main functions of all programs except the API. The programs use the log that the configuration names:
 * on Kafka, or embedded.
 */
import { logSettings, type OpenLog, openLog } from '../log/open-log.ts'
import type { ProgramContext, ProgramName } from '../program.ts'

type Main = (context: ProgramContext, open: OpenLog) => Promise<void>

/** Each thread loads only its own program, because loading all modules would take most of the time of a start. */
const mains: Readonly<Record<ProgramName, () => Promise<Main>>> = {
  ingest: async () => (await import('../../ingest/main.ts')).runIngestProgram,
  process: async () => (await import('../../processors/main.ts')).runProcessProgram,
  project: async () => (await import('../../projections/main.ts')).runProjectionProgram,
}

/** Runs until the signal aborts or the program fails. */
export async function runProgram(program: ProgramName, context: ProgramContext): Promise<void> {
  const { config, logger } = context
  const main = await mains[program]()
  const open = await openLog(logSettings(config, { nowMs: Date.now, logger }))
  try {
    await main(context, open)
  } finally {
    await open.close()
  }
}
