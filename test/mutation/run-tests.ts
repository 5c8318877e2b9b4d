/** Runs test files in a separate process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { mochaOf, temporary } from './copy-tree.ts'

/**
 * The time limit of a test run, in milliseconds. After it, the tests and the programs that they started are
 * killed.
 */
const limitMs = 240_000
/** Most tests take a few seconds. */
const limitPerTestMs = 10_000

/** True if all tests pass in time. */
export async function passes(folder: string, tests: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, [...mochaOf, '--bail', ...tests], {
    cwd: folder,
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, TMPDIR: join(folder, temporary) },
  })
  const end = (): void => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // All have ended.
    }
  }
  const timer = setTimeout(end, Math.max(limitMs, tests.length * limitPerTestMs))
  process.on('exit', end)
  const [code] = await once(child, 'exit')
  clearTimeout(timer)
  end()
  process.off('exit', end)
  return code === 0
}
