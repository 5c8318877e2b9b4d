/** Starts a child process with a local Solana chain and its dollar token, for `exact` payments on Solana. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { KeyPairSigner } from '@solana/kit'
import { OperationError } from '../../errors.ts'
import { dollarAccountOf, solanaKeyOf, solanaSigner } from './solana-dollar.ts'

export type LocalSolana = Readonly<{
  rpcUrl: string
  payTo: string
  buyer: string
  /** The buyer's private key in base58, as wallets export it. Everybody knows this key. */
  buyerPrivateKey: string
  /** The account that pays the fees of the facilitator's transactions. */
  feePayer: KeyPairSigner
  /** Returns the balance of the owner's associated token account, in millionths of a local dollar. */
  usdcBalanceOf: (owner: string) => Promise<bigint>
  /** Gives an address SOL for the fees of its transactions. */
  fund: (address: string) => Promise<void>
  /**
   * Moves the time of the chain forward by this duration. Tests use it to let blockhashes expire, because a
   * blockhash is valid for 60 s.
   */
  advance: (durationMs: number) => Promise<void>
  stop: () => Promise<void>
}>

/**
 * Starts the chain. It ends when this process ends, even if this process is killed with SIGKILL. Fails with
 * `dependency_missing` if the native package of the chain cannot be loaded.
 */
export async function startLocalSolana(buyerUsdMicros: bigint): Promise<LocalSolana> {
  const program = fileURLToPath(new URL('./solana-node.js', import.meta.url))
  // The chain has a process group of its own, so that Ctrl-C does not reach it. This process handles Ctrl-C, and
  // finishes its payments before it stops the chain.
  const child = spawn(process.execPath, [program, String(buyerUsdMicros)], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: process.platform !== 'win32',
  })
  const rpcUrl = await listeningUrl(child)
  const ask = (method: string, params: readonly unknown[]) => askNode(rpcUrl, method, params)
  return {
    rpcUrl,
    payTo: (await solanaSigner('payTo')).address,
    buyer: (await solanaSigner('buyer')).address,
    buyerPrivateKey: await solanaKeyOf('buyer'),
    feePayer: await solanaSigner('facilitator'),
    usdcBalanceOf: async (owner) => {
      const { value } = (await ask('getTokenAccountBalance', [await dollarAccountOf(owner), recent])) as Balance
      return BigInt(value.amount)
    },
    fund: async (address) => void (await ask('localFund', [address])),
    advance: async (durationMs) => void (await ask('localAdvance', [durationMs])),
    stop: () => stopChild(child),
  }
}

const recent = { commitment: 'confirmed' }

type Balance = Readonly<{ value: Readonly<{ amount: string }> }>

async function askNode(rpcUrl: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const answer = (await (await fetch(rpcUrl, { method: 'POST', headers, body })).json()) as { result?: unknown }
  if (answer.result === undefined)
    throw new OperationError('node_refused', `the local Solana chain refused the request ${method}`, {
      context: { method },
    })
  return answer.result
}

async function listeningUrl(child: ChildProcess): Promise<string> {
  const failed = once(child, 'error').then(([cause]) => notStarted(String(cause)))
  return Promise.race([failed, readUrl(child)])
}

async function readUrl({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) return notStarted('no output')
  let said = 'it ended'
  for await (const line of createInterface({ input: stdout })) {
    said = line
    const url = /^Listening on (\S+)$/.exec(line)?.[1]
    if (url === undefined) continue
    stdout.resume()
    return url
  }
  return notStarted(said)
}

function notStarted(said: string): never {
  throw new OperationError('dependency_missing', 'the local Solana chain (litesvm) did not start', {
    context: { said },
  })
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.stdin?.end()
  await exited
}
