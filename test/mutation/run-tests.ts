/** Runs test files in their own process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { mochaOf, temporary } from './copy-tree.ts'

const mocha = 'node_modules/mocha/bin/mocha.js --no-package --exit --bail --timeout 60000 --reporter dot'.split(' ')
/** After this time, `passes` kills the tests and the programs that they started. */
const limitMs = 60_000
/** Most tests take a few seconds. */
const limitPerTestMs = 10_000

/** True if all tests pass within `limitMs`. */
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
      // All of them have exited.
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
