/** An engine in a process of its own: what it says, and what it costs. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export type EngineProcess = Readonly<{
  /** The words of the first line that begins so; fails when the process ends without it. */
  line(first: string): Promise<readonly string[]>
  /** Of all its threads so far, seconds. */
  cpuSeconds(): number
  ended: Promise<unknown>
  stop(): Promise<void>
}>

const program = fileURLToPath(new URL('./engines.ts', import.meta.url))
const ticksPerSecond = 100

export function startEngine(engine: string, ...words: readonly string[]): EngineProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', program, engine, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const said: string[][] = []
  const waiting = new Set<() => void>()
  createInterface(child.stdout).on('line', (line) => {
    said.push(line.split(' '))
    for (const look of waiting) look()
  })
  return {
    ended,
    line: (first) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = said.find(([word]) => word === first)
          if (!found) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
        void ended.then(() => reject(new assert.AssertionError({ message: `${engine} ended without ${first}` })))
      }),
    cpuSeconds: () => cpuSecondsOf(child.pid),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), 5000)
      await ended
      clearTimeout(late)
    },
  }
}

/** User and system time of a process: the 14th and 15th field, counted after the name in brackets. */
function cpuSecondsOf(pid: number | undefined): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}
