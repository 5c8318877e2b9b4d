/**
 * Fails a test file if the runtime warns during the file, for example of too many listeners or of a
 * deprecated call. A rejected promise without a handler also fails the file. Mocha itself ignores both. In
 * parallel mode, root hooks run one time per file.
 */
import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { filesOf } from './support/hooks/files-of.ts'

const warnings: Error[] = []
const rejected = new Map<Promise<unknown>, unknown>()
const keepRejected = (reason: unknown, promise: Promise<unknown>): void => void rejected.set(promise, reason)

process.on('warning', (warning) => warnings.push(warning))

export const mochaHooks = {
  beforeAll(): void {
    // Adds the listener again, because a Mocha worker removes such listeners after each file.
    process.off('unhandledRejection', keepRejected)
    process.on('unhandledRejection', keepRejected)
  },
  async afterAll(this: Mocha.Context): Promise<void> {
    // Node emits warnings and rejections after the code that caused them.
    await setImmediate()
    const found = [...warnings.splice(0), ...rejected.values()]
    rejected.clear()
    if (found.length > 0) assert.fail([`in ${filesOf(this).join(', ')}:`, ...found.map(textOf)].join('\n'))
  },
}

const textOf = (reason: unknown): string =>
  reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)
