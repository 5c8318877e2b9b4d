import type { Logger } from '../../infra/telemetry.ts'
import { createRecentCounts } from '../recent-counts.ts'

/**
 * The maximum number of failures of requests and responses that are logged per second. Without this limit, a client could fill the log of
 * the service with failing requests.
 */
const loggedMax = 20

export type FailureLog = (fields: Readonly<Record<string, unknown>>, message: string) => void

export function createFailureLog(logger: Pick<Logger, 'error'>): FailureLog {
  const logged = createRecentCounts({ generationMs: 500, nowMs: performance.now.bind(performance) })
  return (fields, message) => {
    if (logged.count('') >= loggedMax) return
    logged.add('')
    logger.error(fields, message)
  }
}
