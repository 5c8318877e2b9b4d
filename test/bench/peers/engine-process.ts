/** Runs an engine (a program under comparison) in a separate process, and measures its output and its cost. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { runTypeScript } from '../../support/run-typescript.ts'
import { cpuSecondsOf } from '../process-cpu.ts'

export type EngineProcess = Readonly<{
  /**
   * Returns the words of the first line that begins with `first`. Fails if the process ends without such a
   * line.
   */
  line(first: string): Promise<readonly string[]>
  /** Returns the words of the newest line that begins with `first`. */
  newest(first: string): readonly string[] | undefined
  /** Returns the CPU time of all threads of the engine so far, in seconds. */
  cpuSeconds(): number
  ended: Promise<unknown>
  stop(): Promise<void>
}>

const program = fileURLToPath(new URL('./engines.ts', import.meta.url))

export function startEngine(engine: string, ...words: readonly string[]): EngineProcess {
  const child = spawn(process.execPath, [runTypeScript, program, engine, ...words], {
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
    newest: (first) => said.findLast(([word]) => word === first),
    cpuSeconds: () => cpuSecondsOf(Number(child.pid)),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), 5000)
      await ended
      clearTimeout(late)
    },
  }
}
