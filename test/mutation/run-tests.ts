/** Runs test files in a process of their own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { temporary } from './copy-tree.ts'

const mocha = 'node_modules/mocha/bin/mocha.js --no-package --exit --bail --timeout 60000 --reporter dot'.split(' ')
/** A test that does not end is ended, with the programs that it started. */
const limitMs = 60_000

/** True if all tests pass in time. */
export async function passes(folder: string, tests: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, ['--import', 'tsx', ...mocha, ...tests], {
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
  const timer = setTimeout(end, limitMs)
  process.on('exit', end)
  const [code] = await once(child, 'exit')
  clearTimeout(timer)
  end()
  process.off('exit', end)
  return code === 0
}
