/**
 * Structured logs of the programs. They must not contain payment headers, pass tokens, secrets or the identity of a
 * caller.
 */
import { type Logger, pino } from 'pino'

export type { Logger }

/** Receives log lines. Each line is a JSON object with a line break. */
export type LogSink = Readonly<{ write(line: string): void }>

/**
 * By default, `sink` is standard error. Lines are written synchronously, so that no line is lost when the
 * process is killed.
 */
export function createLogger(
  program: string,
  level: string,
  sink: LogSink = pino.destination({ dest: 2, sync: true }),
): Logger {
  return pino(
    {
      level,
      base: { program },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['*.signature', '*.authorization', '*.token', 'headers["payment-signature"]'],
    },
    sink,
  )
}
