/**
 * Fails a test file that leaves something open that was not open before it. This can be a timer, socket,
 * server, worker, child process, file, listener of the process, or temporary file. In parallel mode, root
 * hooks run one time per file.
 */
import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { filesOf } from './support/hooks/files-of.ts'
import { leftOpen, type Open, openNow } from './support/hooks/open-now.ts'
import { startCompilers } from './support/hooks/start-compilers.ts'
import { useOwnTemporaryFolder } from './support/hooks/temporary-folder.ts'

const graceMs = 5_000
const pollMs = 20

useOwnTemporaryFolder()

let before: Open = new Map()

export const mochaHooks = {
  async beforeAll(): Promise<void> {
    await startCompilers()
    before = await stateNow()
  },
  async afterAll(this: Mocha.Context): Promise<void> {
    const untilMs = performance.now() + graceMs
    let left = leftOpen(before, await stateNow())
    // What is closing closes soon.
    while (left.length > 0 && performance.now() < untilMs) {
      await setTimeout(pollMs)
      left = leftOpen(before, openNow())
    }
    if (left.length > 0) assert.fail([`left open in ${filesOf(this).join(', ')}:`, ...left].join('\n  '))
  },
}

/**
 * Returns what is open now. Mocha starts the timer of a hook after the hook has begun. The short wait makes
 * sure that this timer is always included.
 */
async function stateNow(): Promise<Open> {
  await setTimeout(0)
  return openNow()
}
