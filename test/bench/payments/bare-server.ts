/** Starts the plain Koa route in a separate process. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { runTypeScript } from '../../support/run-typescript.ts'

export type BareServer = Readonly<{ pid: number; port: number; stop: () => void }>

/** Resolves as soon as the server listens. The server sends this number of bytes for any path. */
export async function startBareServer(bytes: number): Promise<BareServer> {
  const program = fileURLToPath(new URL('./bare-koa.ts', import.meta.url))
  const child = spawn(process.execPath, [runTypeScript, program, String(bytes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = () => void child.kill('SIGKILL')
  process.once('exit', stop)
  for await (const line of createInterface(child.stdout))
    if (line.startsWith('LISTENING ')) return { pid: Number(child.pid), port: Number(line.split(' ')[1]), stop }
  throw new assert.AssertionError({ message: 'the bare Koa route does not listen' })
}
