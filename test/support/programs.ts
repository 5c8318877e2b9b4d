/**
 * Runs the programs as an operator starts them. `launch-data <name>` runs in its own process and is
 * configured by the environment.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { runTypeScript } from './run-typescript.ts'

export type RunningProgram = Readonly<{
  pid: number
  kill(signal: NodeJS.Signals): void
  /** Returns the newest part of the output. */
  stdout(): string
  stderr(): string
  /** Resolves with the exit code or signal. This promise never rejects. */
  done: Promise<Ending>
  /**
   * Resolves when stdout or stderr matches. If the program ends first or takes too long, rejects with the
   * output.
   */
  until(pattern: RegExp, limitMs?: number): Promise<void>
  /** Sends SIGTERM and waits for the end. If the exit code is not 0, rejects with the output. */
  stop(): Promise<void>
}>

type Ending = Readonly<{ code: number | null; signal: NodeJS.Signals | null }>

/** The number of newest characters that are kept of each stream. */
const keptMax = 4_194_304

/**
 * The default time limit. A program can need minutes to start while twenty other programs run. The limit is
 * below that of the integration tests.
 */
const patienceMs = 300_000

type Environment = Readonly<Record<string, string>>

/**
 * The child processes that run. They are killed when this process exits, because they could otherwise keep
 * its output open after a failed test.
 */
const alive = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

export const startProgram = (name: string, environment: Environment): RunningProgram =>
  startNode(`launch-data ${name}`, ['infra/command-line/launch-data.js', ...name.split(' ')], environment)

/** Starts a script of the tests in its own process, with one argument. */
export const startScript = (path: string, argument: string, environment: Environment): RunningProgram =>
  startNode(`${path} ${argument}`, [runTypeScript, path, argument], environment)

/** Starts a script in plain JavaScript, with one argument. */
export const startPlainScript = (path: string, argument: string, environment: Environment): RunningProgram =>
  startNode(`${path} ${argument}`, [path, argument], environment)

export function startNode(title: string, argv: readonly string[], environment: Environment): RunningProgram {
  const child = spawn(process.execPath, [...argv], {
    // Many programs run side by side in tests, so they must not share the default port for metrics.
    env: { ...process.env, LOG_LEVEL: 'info', METRICS_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  alive.add(child)
  child.once('exit', () => alive.delete(child))
  const output = { stdout: keep(child.stdout), stderr: keep(child.stderr) }
  // After the event `exit`, output can still come. After `close`, there is no more output.
  const done = once(child, 'close').then(([code, signal]) => ({ code, signal }) as Ending)
  const described = ({ code, signal }: Ending) =>
    new TypeError(`${title} ended with ${signal ?? code}:\n${output.stdout()}\n${output.stderr()}`)

  const until: RunningProgram['until'] = async (pattern, limitMs = patienceMs) => {
    const stop = AbortSignal.timeout(limitMs)
    const matches = () => pattern.test(output.stdout()) || pattern.test(output.stderr())
    while (!matches()) {
      const ending = await Promise.race([done, written(child, stop)])
      if (matches()) return
      if (stop.aborted) throw new TypeError(`${title} did not say ${pattern}:\n${output.stderr()}`)
      if (ending !== undefined) throw described(ending)
    }
  }

  return {
    pid: Number(child.pid),
    kill: (signal) => void child.kill(signal),
    ...output,
    done,
    until,
    async stop() {
      child.kill('SIGTERM')
      const ending = await done
      if (ending.code !== 0) throw described(ending)
    },
  }
}

function keep(stream: NodeJS.ReadableStream): () => string {
  let text = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    text = (text + chunk).slice(-keptMax)
  })
  return () => text
}

/** Resolves when one of the streams has new output, or when the signal aborts. */
function written({ stdout, stderr }: ChildProcess, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      for (const stream of [stdout, stderr]) stream?.off('data', end)
      signal.removeEventListener('abort', end)
      resolve()
    }
    for (const stream of [stdout, stderr]) stream?.on('data', end)
    signal.addEventListener('abort', end, { once: true })
  })
}
