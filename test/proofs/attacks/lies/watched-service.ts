/** The service as users run it, in its own process. It shows whether the service runs, its memory, and the age of its data. */
import { readFileSync, writeFileSync } from 'node:fs'
import { freePorts } from '../../../../infra/ports.ts'
import { type RunningProgram, startProgram } from '../../../support/programs.ts'

export type WatchedService = Readonly<{
  baseUrl: string
  memoryMb: () => number
  /** Returns the peak memory since the previous call of this function, in megabytes. */
  takePeakMb: () => number
  /** Null: the process runs. */
  ending: () => string | null
  /** Requests the health of the service. Null if the service does not answer. */
  health: () => Promise<Health | null>
  /** The error lines of its log, counted by message. */
  troubles: () => ReadonlyMap<string, number>
  said: () => string
  /** Stops the service and returns how it ended. */
  stop: () => Promise<string>
  kill: () => Promise<void>
}>

export type Health = Readonly<{
  status: string
  chains: Readonly<Record<string, Readonly<{ status: string; dataAgeSec: number | null; block?: number }>>>
}>

export async function startWatched(environment: Readonly<Record<string, string>>): Promise<WatchedService> {
  const [port = 0] = await freePorts(1)
  const program = startProgram('up', { PORT: String(port), LOG_LEVEL: 'warn', ...environment })
  let ending: string | null = null
  void program.done.then(({ code, signal }) => {
    ending = signal ?? `code ${code}`
  })
  await program.until(/Launch Data Service on /)
  const baseUrl = `http://127.0.0.1:${port}`
  return {
    baseUrl,
    memoryMb: () => megabytesOf(program, 'VmRSS'),
    takePeakMb: () => {
      const peakMb = megabytesOf(program, 'VmHWM')
      if (ending === null) writeFileSync(`/proc/${program.pid}/clear_refs`, '5')
      return peakMb
    },
    ending: () => ending,
    health: async () => {
      const response = await fetch(`${baseUrl}/v1/health`, { signal: AbortSignal.timeout(5_000) }).catch(() => null)
      return response?.status === 200 ? ((await response.json()) as Health) : null
    },
    troubles: () => troublesIn(program.stderr()),
    said: program.stderr,
    stop: async () => {
      program.kill('SIGTERM')
      const { code, signal } = await program.done
      return signal ?? `code ${code}`
    },
    kill: async () => {
      program.kill('SIGKILL')
      await program.done
    },
  }
}

function megabytesOf({ pid }: RunningProgram, field: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Math.round(Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024)
  } catch {
    // The process has ended.
    return 0
  }
}

function troublesIn(said: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const line of said.split('\n')) {
    const text = textOf(line)
    if (text !== '') counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return counts
}

function textOf(line: string): string {
  try {
    const { level, msg = '' } = JSON.parse(line) as Readonly<{ level: number; msg?: string }>
    return `${level} ${msg}`
  } catch {
    return line.slice(0, 200)
  }
}
