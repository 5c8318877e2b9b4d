/** `launch-data up` of any checkout, in its own process. Its environment has all settings. */
import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '../../../infra/ports.ts'

export type RunningService = Readonly<{
  baseUrl: string
  /** Resolves when the service sells fresh data. Rejects if the service ends before this. */
  untilLive(): Promise<void>
  /** Sends SIGTERM. Rejects unless the exit code is 0. */
  stop(): Promise<void>
  /** Sends SIGKILL if the service still runs. */
  kill(): Promise<void>
  /** The log lines of warnings and errors, and the output lines that are not log lines. */
  troubles(): readonly string[]
}>

type Start = Readonly<{
  checkout: string
  environment: Readonly<Record<string, string>>
  /** The file for the standard error output. */
  logFile: string
}>

const patienceMs = 30 * 60_000
const liveAgeSec = 5
/** The time between two looks at the service. Free routes answer 120 requests per minute. */
const lookEveryMs = 1000

export async function startService({ checkout, environment, logFile }: Start): Promise<RunningService> {
  const [port = 0] = await freePorts(1)
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [join('infra', 'command-line', 'launch-data.js'), 'up'], {
    cwd: checkout,
    env: { PATH, HOME, PORT: String(port), LOG_LEVEL: 'info', ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const killWithUs = () => void child.kill('SIGKILL')
  process.once('exit', killWithUs)
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  child.stderr.pipe(createWriteStream(logFile))
  let ending: number | string | null = null
  const done = new Promise<void>((resolve) => {
    child.once('close', (code, signal) => {
      ending = signal ?? code ?? 'nothing'
      process.off('exit', killWithUs)
      resolve()
    })
  })
  const baseUrl = `http://127.0.0.1:${port}`
  const ended = () => new TypeError(`the service in ${checkout} ended with ${ending}:\n${said.slice(-3000)}`)

  return {
    baseUrl,
    async untilLive() {
      const endAtMs = Date.now() + patienceMs
      while (!(await isLive(baseUrl))) {
        if (ending !== null) throw ended()
        if (Date.now() > endAtMs) throw new TypeError(`the service in ${checkout} is not live after ${patienceMs} ms`)
        await sleep(lookEveryMs)
      }
    },
    async stop() {
      child.kill('SIGTERM')
      await done
      if (ending !== 0) throw ended()
    },
    async kill() {
      child.kill('SIGKILL')
      await done
    },
    troubles: () => said.split('\n').filter((line) => line !== '' && !isInformation(line)),
  }
}

async function isLive(baseUrl: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/v1/health`).catch(() => null)
  if (response?.status !== 200) return false
  const { status, dataAgeSec } = (await response.json()) as Readonly<{ status: string; dataAgeSec: number | null }>
  return status === 'ok' && dataAgeSec !== null && dataAgeSec <= liveAgeSec
}

const warningLevel = 40

function isInformation(line: string): boolean {
  try {
    return (JSON.parse(line) as Readonly<{ level: number }>).level < warningLevel
  } catch {
    return false
  }
}
