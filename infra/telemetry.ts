/** Structured logs. Nothing that could be spent or that names a caller goes in: payment headers, pass tokens, secrets. */
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
