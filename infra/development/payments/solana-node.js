/**
 * Runs the local Solana chain in a separate process. Prints the address at which the chain listens, or the
 * reason why the chain cannot start. Ends when the parent process ends.
 *
 * litesvm leaves the floating-point unit of x64 in a state in which Node's garbage collector computes wrong
 * numbers. Without the flag below, the process would crash after some transactions (std::bad_alloc).
 * Therefore this process does nothing else.
 */
import { setFlagsFromString } from 'node:v8'
import { loadProgram } from '../../typescript/load-program.js'

setFlagsFromString('--no-allocation-site-pretenuring')
process.stdin.on('end', () => process.exit(0)).resume()

try {
  const { serveSolana } = await loadProgram(new URL('./serve-solana.ts', import.meta.url))
  const { url } = await serveSolana(BigInt(process.argv[2] ?? '0'))
  process.stdout.write(`Listening on ${url}\n`)
} catch (error) {
  process.stdout.write(`Failed: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
  process.stdin.destroy()
}
