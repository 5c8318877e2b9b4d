/** The programs as an operator starts them: `launch-data <name>` in a process of its own, configured by its environment. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { runTypeScript } from './run-typescript.ts'

export type RunningProgram = Readonly<{
  pid: number
  kill(signal: NodeJS.Signals): void
  /** What it wrote so far, the newest part of it. */
  stdout(): string
  stderr(): string
  /** How it ended, by itself or killed; never rejects. */
  done: Promise<Ending>
  /** Resolves when its output (either stream) matches; rejects, with what it wrote, when it ends before or takes too long. */
  until(pattern: RegExp, limitMs?: number): Promise<void>
  /** SIGTERM; rejects, with what it wrote, unless it ends with 0. */
  stop(): Promise<void>
}>

type Ending = Readonly<{ code: number | null; signal: NodeJS.Signals | null }>

/** Of each stream, in characters. */
const keptMax = 262_144

/** A program that starts in seconds starts in minutes where twenty others do; under the integration tests' own limit. */
const patienceMs = 300_000

type Environment = Readonly<Record<string, string>>

/** None outlives this process, whatever a failed test left behind: it would hold our output open. */
const alive = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

export const startProgram = (name: string, environment: Environment): RunningProgram =>
  startNode(`launch-data ${name}`, ['infra/command-line/launch-data.js', ...name.split(' ')], environment)

/** A script of the tests in a process of its own, with one argument. */
export const startScript = (path: string, argument: string, environment: Environment): RunningProgram =>
  startNode(`${path} ${argument}`, [runTypeScript, path, argument], environment)

/** The same, of a script in plain JavaScript. */
export const startPlainScript = (path: string, argument: string, environment: Environment): RunningProgram =>
  startNode(`${path} ${argument}`, [path, argument], environment)

export function startNode(title: string, argv: readonly string[], environment: Environment): RunningProgram {
  const child = spawn(process.execPath, [...argv], {
    env: { ...process.env, LOG_LEVEL: 'info', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  alive.add(child)
  child.once('exit', () => alive.delete(child))
  const output = { stdout: keep(child.stdout), stderr: keep(child.stderr) }
  // With `close` nothing more will be written, unlike with `exit`.
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

/** Until either stream has something new, or the signal aborts. */
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
