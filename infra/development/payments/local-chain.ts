/** A chain of our own: the anvil binary as a child process on a free port, with a new block every second and on each transaction. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { OperationError } from '../../errors.ts'

export type LocalChain = Readonly<{ rpcUrl: string; stop: () => Promise<void> }>

/** Fails with `dependency_missing` where this platform has no binary or it does not start. Ends with this process, however that ends. */
export async function startLocalChain(chainId: number): Promise<LocalChain> {
  const chain = ['--chain-id', String(chainId), '--accounts', '10', '--prune-history', '50']
  const mining = ['--block-time', '1', '--mixed-mining']
  const child = spawnWatched(binaryPath(), ['--port', '0', ...chain, ...mining])
  const address = await listeningAddress(child)
  return { rpcUrl: `http://${address}`, stop: () => stopChild(child) }
}

/**
 * Runs its arguments as a command until its own input ends: whatever becomes of whoever holds the other end of the pipe,
 * a SIGKILL too, the command does not outlive it. The output is the command's alone, so that its end is seen. Signals to
 * the whole group (Ctrl-C) are left to the holder.
 */
const untilInputEnds = `trap '' INT HUP TERM
"$@" & pid=$!
exec >/dev/null
read -r _
kill -KILL $pid
wait $pid`

function spawnWatched(command: string, args: readonly string[]): ChildProcess {
  const stdio = ['pipe', 'pipe', 'ignore'] as const
  if (process.platform !== 'win32')
    return spawn('/bin/sh', ['-c', untilInputEnds, 'sh', command, ...args], { stdio: [...stdio] })
  const child = spawn(command, args, { stdio: [...stdio] })
  process.once('exit', () => child.kill())
  return child
}

/** The npm package only finds the binary, which lies in the package of the platform; nothing is downloaded. */
function binaryPath(): string {
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  try {
    const fromHere = createRequire(import.meta.url)
    const fromAnvil = createRequire(fromHere.resolve('@foundry-rs/anvil/package.json'))
    const folder = dirname(fromAnvil.resolve(`@foundry-rs/anvil-${platform}/package.json`))
    return join(folder, 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil')
  } catch (cause) {
    throw new OperationError('dependency_missing', 'the local chain needs the npm package @foundry-rs/anvil', {
      cause,
      context: { platform },
    })
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
