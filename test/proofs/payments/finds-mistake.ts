/**
 * Runs seeds of the proof on a copy of the code, in another process. A mistake in the copy may make this
 * process hang or die.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** The longest time without output from a child, in milliseconds. */
const patienceMs = 120_000

/** Returns the output line that showed the mistake. Null: no line showed it. */
export async function findsMistake(folder: string, seeds: string): Promise<string | null> {
  const argv = ['--import', 'tsx', 'test/proofs/payments/payments.ts', seeds]
  const child = spawn(process.execPath, argv, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  const kill = () => void child.kill('SIGKILL')
  const patience = setTimeout(kill, patienceMs)
  let found: string | null = null
  let isDone = false
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('seed ')) found = line.slice(0, 160)
    isDone ||= / interleavings from seed /.test(line)
    if (found !== null) kill()
  }
  clearTimeout(patience)
  return found ?? (isDone ? null : 'it hangs or dies')
}
