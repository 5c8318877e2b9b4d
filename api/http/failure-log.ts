import type { Logger } from '../../infra/telemetry.ts'
import { createRecentCounts } from '../recent-counts.ts'

/**
 * Most failures that are logged per second, requests and responses together. A client can make any number of requests
 * fail.
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
