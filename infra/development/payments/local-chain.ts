/**
 * A local EVM chain: anvil as a child process on a free port. It mines one block for each transaction and no other
 * blocks.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { OperationError } from '../../errors.ts'

export type LocalChain = Readonly<{ rpcUrl: string; stop: () => Promise<void> }>

/**
 * The number of block states that anvil keeps. A call about an older block fails. With only one state, a
 * payment would be refused if a new block arrived before the call.
 */
const statesMax = 32

/**
 * Starts the chain. It ends when this process ends, even if this process is killed with SIGKILL. Fails with
 * `dependency_missing` if this platform has no binary or the chain does not start.
 */
export async function startLocalChain(chainId: number): Promise<LocalChain> {
  // No block time is set. With a block time, anvil's memory would grow by 14 MB a minute, even with `--prune-history`.
  const chain = ['--chain-id', String(chainId), '--accounts', '10', '--prune-history', String(statesMax)]
  const child = spawnWatched(binaryPath(), ['--port', '0', ...chain])
  const address = await listeningAddress(child)
  return { rpcUrl: `http://${address}`, stop: () => stopChild(child) }
}

/**
 * A shell script that runs its arguments as a command. The script's standard input ends when this process ends, even by
 * SIGKILL. Then the script kills the command. The script closes its own output, so that this process sees the end of
 * the command's output.
 */
const untilInputEnds = `"$@" & pid=$!
exec >/dev/null
read -r _
kill -KILL $pid
wait $pid`

function spawnWatched(command: string, args: readonly string[]): ChildProcess {
  const stdio = ['pipe', 'pipe', 'ignore'] as const
  // The chain has a process group of its own, so that Ctrl-C does not reach it. This process handles Ctrl-C, and
  // finishes its payments before it stops the chain.
  if (process.platform !== 'win32')
    return spawn('/bin/sh', ['-c', untilInputEnds, 'sh', command, ...args], { stdio: [...stdio], detached: true })
  const child = spawn(command, args, { stdio: [...stdio] })
  process.once('exit', () => child.kill())
  return child
}

/**
 * The path of anvil's binary. Each platform has a package with the binary, which is an optional dependency of the anvil
 * package. Nothing is downloaded.
 */
function binaryPath(): string {
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  try {
    const fromHere = createRequire(import.meta.url)
    const fromAnvil = createRequire(fromHere.resolve('@foundry-rs/anvil/package.json'))
    const folder = dirname(fromAnvil.resolve(`@foundry-rs/anvil-${platform}/package.json`))
    return join(folder, 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil')
  } catch (cause) {
    throw new OperationError(
      'dependency_missing',
      'the local chain needs the npm package @foundry-rs/anvil. Install it with "npm ci"',
      {
        cause,
        context: { platform },
      },
    )
  }
}

async function listeningAddress(child: ChildProcess): Promise<string> {
  const failed = once(child, 'error').then(([cause]) => notStarted(cause))
  return Promise.race([failed, readAddress(child)])
}

async function readAddress({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) return notStarted('no output')
  for await (const line of createInterface({ input: stdout })) {
    const address = /^Listening on (\S+)$/.exec(line)?.[1]
    if (address === undefined) continue
    stdout.resume()
    return address
  }
  return notStarted('it ended')
}

function notStarted(cause: unknown): never {
  throw new OperationError('dependency_missing', 'the local chain (anvil) did not start', { cause })
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  if (process.platform === 'win32') child.kill()
  else child.stdin?.end()
  await exited
}
