/** Structured logs. They must not contain payment headers, pass tokens, secrets or the identity of a caller. */
import { type Logger, pino } from 'pino'

export type { Logger }

export function createLogger(program: string, level: string): Logger {
  return pino(
    {
      level,
      base: { program },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['*.signature', '*.authorization', '*.token', 'headers["payment-signature"]'],
    },
    pino.destination({ dest: 2, sync: true }),
  )
}
