/**
 * A Java program as a child process. The program ends when this process ends, even if this process is killed
 * with SIGKILL. With `outlivesUs`, the program continues instead.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { processStart } from '../../data-dir/process-start.ts'
import { OperationError } from '../../errors.ts'

export type JavaProcess = Readonly<{
  pid: number
  isRunning(): boolean
  /**
   * Stops the process and resolves when it has ended. After SIGTERM, the process gets SIGKILL if it still runs ten
   * seconds later.
   */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}>

export type JavaOptions = Readonly<{
  name: string
  args: readonly string[]
  /** The file to which the program's output is written. */
  logPath: string
  outlivesUs: boolean
  signal?: AbortSignal | undefined
}>

/**
 * Java options for programs that run for a short time. They turn off Java's optimizing compiler and its
 * parallel garbage collector. A start then takes half the processor time.
 */
export const shortLived: readonly string[] = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']

const startTimeoutMs = 120_000
const stopTimeoutMs = 10_000
const pollMs = 25

/**
 * A shell script that runs its arguments as a command, and writes the command's process id to descriptor 3. The
 * script's standard input ends when this process ends, even by SIGKILL. Then the script kills the command. The script
 * ignores Ctrl-C, which this process handles.
 */
const untilInputEnds = `"$@" 3>&- & pid=$!
trap '' INT HUP TERM
echo $pid >&3
exec 3>&-
read -r _
kill -KILL $pid 2>/dev/null
wait $pid`

/**
 * Starts the program and resolves when it is ready. Fails with `program_failed` and the last lines of the program's output if the program
 * ends earlier or takes too long.
 */
export async function startJava(options: JavaOptions, isReady: () => Promise<boolean>): Promise<JavaProcess> {
  const child = await spawnJava(options)
  try {
    await untilReady(child, options, isReady)
  } catch (error) {
    await child.stop('SIGKILL')
    throw error
  }
  return child
}

async function spawnJava(options: JavaOptions): Promise<JavaProcess> {
  const log = openSync(options.logPath, 'a')
  try {
    return options.outlivesUs ? detached(options, log) : await watched(options, log)
  } finally {
    closeSync(log)
  }
}

async function untilReady(child: JavaProcess, options: JavaOptions, isReady: () => Promise<boolean>): Promise<void> {
  const { name, logPath, signal } = options
  const deadlineMs = Date.now() + startTimeoutMs
  while (!(await isReady())) {
    signal?.throwIfAborted()
    if (!child.isRunning() || Date.now() > deadlineMs) {
      const lastLines = (await readFile(logPath, 'utf8')).trimEnd().split('\n').slice(-5).join('\n')
      throw new OperationError('program_failed', `${name} did not start:\n${lastLines}`, { context: { logPath } })
    }
    await sleep(pollMs)
  }
}

/**
 * Sends the signal and resolves when the process has ended. Sends SIGKILL if the process still runs after
 * `stopTimeoutMs`.
 */
export async function stopProcess(pid: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const startedAt = processStart(pid)
  const isThere = () => startedAt !== null && processStart(pid) === startedAt
  if (!isThere()) return
  kill(pid, signal)
  const deadlineMs = Date.now() + stopTimeoutMs
  while (isThere() && Date.now() < deadlineMs) await sleep(pollMs)
  if (!isThere()) return
  kill(pid, 'SIGKILL')
  while (isThere()) await sleep(pollMs)
}

function kill(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process ended after the check.
  }
}

function detached({ args }: JavaOptions, log: number): JavaProcess {
  const child = spawn('java', args, { detached: true, stdio: ['ignore', log, log] })
  child.unref()
  return handleOf(child.pid ?? 0, (signal) => stopProcess(child.pid ?? 0, signal))
}

async function watched({ name, args }: JavaOptions, log: number): Promise<JavaProcess> {
  const shell = spawn('/bin/sh', ['-c', untilInputEnds, 'sh', 'java', ...args], { stdio: ['pipe', log, log, 'pipe'] })
  const pid = await readPid(shell, name)
  // The shell must not keep this process alive. The standard input of the shell ends when this process ends, so the
  // shell then ends too.
  shell.unref()
  return handleOf(pid, async (signal) => {
    if (signal === 'SIGTERM') await stopProcess(pid, signal)
    if (shell.exitCode !== null || shell.signalCode !== null) return
    const exited = once(shell, 'exit')
    shell.ref()
    shell.stdin?.end()
    await exited
  })
}

function handleOf(pid: number, stop: JavaProcess['stop']): JavaProcess {
  const startedAt = processStart(pid)
  return { pid, isRunning: () => startedAt !== null && processStart(pid) === startedAt, stop }
}

async function readPid(shell: ChildProcess, name: string): Promise<number> {
  for await (const line of createInterface({ input: shell.stdio[3] as Readable })) return Number(line)
  throw new OperationError('program_failed', `${name} did not start`)
}
