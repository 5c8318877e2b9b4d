/** The output of running programs: a live screen on a terminal, and only JSON lines in a pipe. */
import { createLogUpdate } from 'log-update'
import type { Config } from '../config.ts'
import type { Progress } from '../program.ts'
import { createLogger, type Logger, type LogSink } from '../telemetry.ts'
import { readableLine } from './readable-line.ts'
import { type Screen, screenLines } from './screen.ts'

export type Console = Readonly<{
  logger: Logger
  /**
   * The log settings for the worker threads of this process. A thread passes its log lines to `write`. If
   * `write` is null, the thread writes its log lines to standard error.
   */
  threadLog: Readonly<{ level: string; write: ((line: string) => void) | null }>
  report(progress: Progress): void
  /**
   * Shows a line about something that has just happened, such as a burst. If the output is a pipe, it shows
   * nothing.
   */
  headline(text: string): void
  /**
   * Changes the given parts of the screen. There is no screen if the output is a
   * pipe. Then `plain`, if given, is printed to standard output.
   */
  show(part: Partial<Pick<Screen, 'notice' | 'places' | 'hints' | 'headlines'>>, plain?: string): void
  /** Stops the updates. The last screen remains visible. */
  close(): void
}>

/**
 * The work of a command, which starts after the command has read its configuration. `signal` aborts at the first SIGINT
 * or SIGTERM.
 */
export type Task = (config: Config, console: Console, signal: AbortSignal) => Promise<void>

type Streams = Readonly<{ out: NodeJS.WriteStream; error: NodeJS.WriteStream }>
/** `sink` gets the log lines if the output is a pipe. Default: standard error. */
type ConsoleOptions = Readonly<{ program: string; level: Config['LOG_LEVEL']; streams?: Streams; sink?: LogSink }>

/**
 * If `level` is undefined, a terminal shows only log lines of level `warn` and above, because its screen
 * shows the progress. A pipe gets lines of level `info` too.
 */
export function openConsole({ program, level, streams = ours, sink }: ConsoleOptions): Console {
  return streams.out.isTTY && streams.error.isTTY
    ? createScreen(program, level ?? 'warn', streams)
    : createPipe(createLogger(program, level ?? 'info', sink), level ?? 'info', streams)
}

const ours: Streams = { out: process.stdout, error: process.stderr }

function createPipe(logger: Logger, level: string, { out }: Streams): Console {
  const live = new Set<string>()
  const waiting = new Set<string>()
  return {
    logger,
    threadLog: { level, write: null },
    report({ program: its, stage, state, hasCaughtUp, text }) {
      if (!hasCaughtUp) return
      const name = nameOf(its, stage)
      if (state === 'live') {
        if (!live.has(name)) logger.info(`${name} has caught up: ${text}`)
        live.add(name)
      } else if (!live.has(name) && !waiting.has(name)) {
        // While ingest backfills, the other programs read all of the log again and again, but the log is hours behind.
        waiting.add(name)
        logger.info(`${name} has read all of its input, which is not live yet: ${text}`)
      }
    },
    headline: () => {},
    show(_, plain) {
      if (plain !== undefined) out.write(`${plain}\n`)
    },
    close: () => {},
  }
}

const nameOf = (program: string, stage: string): string => `${program} of ${stage}`

const redrawMs = 200
const headlinesKept = 20

function createScreen(program: string, level: string, { out }: Streams): Console {
  const draw = createLogUpdate(out)
  const progress = new Map<string, Progress>()
  const headlines: string[] = []
  let screen: Screen = { title: 'Launch Data Service', notice: null, places: [], progress, headlines: null, hints: [] }
  let timer: NodeJS.Timeout | null = null
  let isShown = false

  const redraw = () => {
    timer = null
    isShown = true
    draw(screenLines(screen, { columns: out.columns, rows: out.rows }).join('\n'))
  }
  const redrawSoon = () => {
    timer ??= setTimeout(redraw, redrawMs)
  }
  const sink: LogSink = {
    write(line) {
      draw.clear()
      out.write(`${readableLine(line)}\n`)
      if (isShown) redraw()
    },
  }
  return {
    logger: createLogger(program, level, sink),
    threadLog: { level, write: sink.write },
    report(its) {
      progress.set(nameOf(its.program, its.stage), its)
      redrawSoon()
    },
    headline(text) {
      headlines.push(text)
      if (headlines.length > headlinesKept) headlines.shift()
      screen = { ...screen, headlines }
      redrawSoon()
    },
    show(part) {
      screen = { ...screen, ...part }
      redrawSoon()
    },
    close() {
      const isPending = timer !== null
      if (timer !== null) clearTimeout(timer)
      timer = null
      if (isPending) redraw()
      draw.done()
    },
  }
}
