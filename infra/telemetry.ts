/**
 * Structured logs of the programs. They must not contain payment headers, pass tokens, secrets or the identity of a
 * caller.
 */
import { type Logger, pino } from 'pino'

export type { Logger }

/** Receives log lines. Each line is a JSON object with a line break. */
export type LogSink = Readonly<{ write(line: string): void }>

/** The number of lines that this thread has logged at the levels that an operator should read. */
export const loggedLines = { warn: 0, error: 0, fatal: 0 }

const countedLevels: ReadonlyMap<number, keyof typeof loggedLines> = new Map([
  [pino.levels.values.warn ?? 40, 'warn'],
  [pino.levels.values.error ?? 50, 'error'],
  [pino.levels.values.fatal ?? 60, 'fatal'],
])

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
      hooks: {
        logMethod(args, log, level) {
          const counted = countedLevels.get(level)
          if (counted !== undefined) loggedLines[counted] += 1
          log.apply(this, args)
        },
      },
      redact: ['*.signature', '*.authorization', '*.token', 'headers["payment-signature"]'],
    },
    sink,
  )
}
