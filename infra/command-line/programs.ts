/** The programs that run beside the API, each from a configuration: what they are given, and what they say of themselves. */
import { runIngestProgram } from '../../ingest/main.ts'
import { runProcessProgram } from '../../processors/main.ts'
import { runProjectionProgram } from '../../projections/main.ts'
import { logSettings, type OpenLog, openLog } from '../log/open-log.ts'
import type { ProgramContext, ProgramName } from '../program.ts'

export const programs: Readonly<Record<ProgramName, (context: ProgramContext) => Promise<void>>> = {
  ingest: (context) => withLog(context, (open) => runIngestProgram(context, open)),
  process: (context) => withLog(context, (open) => runProcessProgram(context, open)),
  project: (context) => withLog(context, (open) => runProjectionProgram(context, open)),
}

const nowMs = () => Date.now()

async function withLog({ config, logger }: ProgramContext, run: (open: OpenLog) => Promise<void>): Promise<void> {
  const open = await openLog(logSettings(config, { nowMs, logger }))
  try {
    await run(open)
  } finally {
    await open.close()
  }
}
