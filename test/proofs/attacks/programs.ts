/**
 * Starts the processes of an attack, such as servers and the attacker. Each process ends when this process
 * ends.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { runTypeScript } from '../../support/run-typescript.ts'
import type { Storm, StormResult } from './storms/attacker.ts'

export type Program = Readonly<{ pid: number; port: number; stop: () => void }>

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

export async function startListening(name: string, ...args: readonly string[]): Promise<Program> {
  const child = spawn(process.execPath, [runTypeScript, pathOf(name), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = stopsWithUs(child)
  for await (const line of createInterface(child.stdout))
    if (line.startsWith('LISTENING ')) return { pid: Number(child.pid), port: Number(line.split(' ')[1]), stop }
  throw new RangeError(`${name} does not listen`)
}

export type Attacker = Readonly<{ begin: (storm: Storm) => Promise<() => Promise<StormResult>>; stop: () => void }>

export function startAttacker(): Attacker {
  const child = fork(runTypeScript, [pathOf('storms/attacker.ts')], { serialization: 'advanced', execArgv: [] })
  return {
    begin: async (storm) => {
      child.send(storm)
      await once(child, 'message')
      return async () => {
        child.send('end')
        const [result] = (await once(child, 'message')) as [StormResult]
        return result
      }
    },
    stop: stopsWithUs(child),
  }
}

function stopsWithUs(child: ChildProcess): () => void {
  const stop = () => void child.kill('SIGKILL')
  process.once('exit', stop)
  return () => {
    process.off('exit', stop)
    stop()
  }
}
