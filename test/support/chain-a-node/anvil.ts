/**
 * Runs a real local node: the anvil binary in a child process on a free port. Tests talk to the node over
 * JSON-RPC.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'

export const chainId = 4663

export type Anvil = Readonly<{
  rpcUrl: string
  pid: number
  stop(): Promise<void>
}>

export type RpcCall = Readonly<{ method: string; params: readonly unknown[] }>

/**
 * Returns the path of the binary. The binary is in the npm package for this platform, so nothing is
 * downloaded.
 */
function binaryPath(): string {
  const require = createRequire(import.meta.url)
  const anvilPackage = createRequire(require.resolve('@foundry-rs/anvil/package.json'))
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  return join(dirname(anvilPackage.resolve(`@foundry-rs/anvil-${platform}/package.json`)), 'bin', 'anvil')
}

/**
 * Starts a chain that mines only on request. The time of its first block is `startAtMs`, rounded down to
 * whole seconds.
 */
export async function startAnvil(startAtMs: number): Promise<Anvil> {
  const child = spawn(
    binaryPath(),
    [
      ['--port', '0', '--chain-id', String(chainId), '--timestamp', String(Math.floor(startAtMs / 1000))],
      ['--no-mining', '--order', 'fifo', '--auto-impersonate', '--accounts', '0'],
      // Without this flag, anvil keeps the newest 500 states and writes all older states to disk. That takes
      // half of its processor time.
      ['--gas-limit', '4000000000', '--prune-history', '100000'],
    ].flat(),
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const stop = () => stopChild(child)
  return { rpcUrl: `http://${await listeningAddress(child)}`, pid: child.pid ?? 0, stop }
}

async function listeningAddress(child: ChildProcess): Promise<string> {
  assert(child.stdout)
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /^Listening on (\S+)$/.exec(line)?.[1]
    if (address === undefined) continue
    child.stdout.resume()
    return address
  }
  assert.fail('anvil ended before it listened')
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

type RpcReply = Readonly<{ id: number; result?: unknown; error?: Readonly<{ message: string }> }>

const agent = new Agent({ keepAlive: true })

/**
 * Sends a request with `node:http`. A test needs thousands of requests, and `fetch` takes four times as much
 * processor time.
 */
async function post(url: string, body: string): Promise<string> {
  const sent = request(url, { agent, method: 'POST', headers: { 'content-type': 'application/json' } }).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return text(response)
}

/**
 * Sends all calls in one HTTP request. Returns the results in the order of the calls. If one call fails, the
 * whole batch fails.
 */
export async function rpcBatch(rpcUrl: string, calls: readonly RpcCall[]): Promise<readonly unknown[]> {
  if (calls.length === 0) return []
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
  const replies = JSON.parse(await post(rpcUrl, body)) as readonly RpcReply[]
  const byId = new Map(replies.map((reply) => [reply.id, reply]))
  return calls.map((call, id) => {
    const reply = byId.get(id)
    assert(reply !== undefined && reply.error === undefined, `${call.method}: ${reply?.error?.message ?? 'no reply'}`)
    return reply.result
  })
}

export async function rpc(rpcUrl: string, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const [result] = await rpcBatch(rpcUrl, [{ method, params }])
  return result
}

/**
 * Returns a function that calls a node. Calls that are made in the same turn of the event loop go in one
 * request. If one of them fails, all of them fail.
 */
export function createAsk(rpcUrl: string) {
  let calls: RpcCall[] = []
  let results: Promise<readonly unknown[]> | null = null
  const send = async () => {
    await setImmediate()
    const sent = calls
    calls = []
    results = null
    return rpcBatch(rpcUrl, sent)
  }
  return async (method: string, params: readonly unknown[] = []): Promise<unknown> => {
    results ??= send()
    const index = calls.push({ method, params }) - 1
    return (await results)[index]
  }
}
