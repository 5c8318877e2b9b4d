/** Sends calls from a client process to a server process. Only the cost of the server is measured. */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cpuSecondsOf } from '../process-cpu.ts'
import type { Load, LoadResult } from './load-client.ts'

/** `cpuUs` is the CPU time per call in microseconds, for all threads of the serving process. */
export type Served = Readonly<{ rate: number; cpuUs: number; bytes: number }>

type Tried = Served & Readonly<{ failed: number }>

export type Client = Readonly<{
  call: (server: Readonly<{ pid: number }>, load: Load) => Promise<Served>
  /** Does not fail when a call fails. */
  tryCall: (server: Readonly<{ pid: number }>, load: Load) => Promise<Tried>
  close: () => void
}>

export function startClient(): Client {
  const child = fork(new URL('./load-client.js', import.meta.url), { serialization: 'advanced', execArgv: [] })
  const tryCall: Client['tryCall'] = async ({ pid }, load) => {
    child.send(load)
    await once(child, 'message')
    const before = cpuSecondsOf(pid)
    child.send('go')
    const [{ wallMs, failed, bytes }] = (await once(child, 'message')) as [LoadResult]
    const calls = load.payments.length
    const cpuUs = ((cpuSecondsOf(pid) - before) * 1e6) / calls
    return { rate: (calls / wallMs) * 1000, cpuUs, bytes: bytes / calls, failed }
  }
  return {
    tryCall,
    async call(server, load) {
      const { failed, ...served } = await tryCall(server, load)
      assert(failed === 0, `${failed} of ${load.payments.length} calls of ${load.path} failed`)
      return served
    },
    close: () => child.kill(),
  }
}
