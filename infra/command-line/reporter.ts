/** What programs say of their progress: on a terminal every step; in the log only what one reaches for the first time. */

import type { ProgramName, Progress } from '../program.ts'
import type { Logger } from '../telemetry.ts'

export function createReporter(logger: Logger, show: (text: string) => void): (progress: Progress) => void {
  const live = new Set<ProgramName>()
  return ({ program, text, isLive }) => {
    show(`${program}: ${text}`)
    if (!isLive || live.has(program)) return
    live.add(program)
    logger.info(`${program} has caught up: ${text}`)
  }
}
