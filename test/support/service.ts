/** The service as an operator runs it: the `launch-data up` command in a process of its own, configured by its environment. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'

export type Service = Readonly<{
  baseUrl: string
  /** Ends it as an operator would, and fails when it does not end cleanly. */
  stop(): Promise<void>
  /** Ends it without warning. */
  kill(): Promise<void>
  /** What it wrote to standard error so far: for a failing test. */
  errorOutput(): string
}>

/** Resolves when it listens. */
export async function startService(environment: Readonly<Record<string, string>>): Promise<Service> {
  const port = await freePort()
  const child = spawn(process.execPath, ['infra/command-line/launch-data.js', 'up'], {
    env: { ...process.env, PORT: String(port), LOG_LEVEL: 'warn', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errorOutput = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errorOutput += chunk.toString()
  })
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  await listening(child, () => errorOutput)
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    async stop() {
      await end('SIGTERM')
      if (child.exitCode !== 0) throw new TypeError(`the service ended with ${child.exitCode}: ${errorOutput}`)
    },
    kill: () => end('SIGKILL'),
    errorOutput: () => errorOutput,
  }
}

async function listening(child: ChildProcess, errorOutput: () => string): Promise<void> {
  let output = ''
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    output += chunk.toString()
    if (output.includes('Launch Data Service on ')) {
      child.stdout?.resume()
      return
    }
  }
  throw new TypeError(`the service did not start: ${errorOutput()}`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
