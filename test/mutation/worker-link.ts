/** A process that runs tests. It is ended and another one started when it does not answer in time, or dies. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { temporary } from './copy-tree.ts'
import type { Answer, Order } from './messages.ts'

export type WorkerLink = Readonly<{
  /** True until the first order: nothing is left over from earlier ones. */
  isFresh: () => boolean
  /** Null: no answer within the time, or the process died. Then it is gone. */
  ask: (order: Order, limitMs: number) => Promise<Answer | null>
  /** The next order goes to a new process. */
  renew: () => Promise<void>
}>

export function linkWorker(folder: string): WorkerLink {
  let child: ChildProcess | null = null
  let isFresh = true
  // One that loops does not see that the tool has ended.
  process.prependListener('exit', () => child?.kill('SIGKILL'))

  const start = (): ChildProcess => {
    isFresh = true
    const path = join(folder, 'test/mutation/worker.ts')
    return fork(path, {
      cwd: folder,
      // What tests that are ended leave behind goes with the copy.
      env: { ...process.env, TMPDIR: join(folder, temporary) },
      execArgv: ['--import', 'tsx'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
  }

  async function renew(): Promise<void> {
    const old = child
    child = null
    isFresh = true
    if (old === null || old.exitCode !== null || old.signalCode !== null) return
    const ended = once(old, 'exit')
    old.kill('SIGKILL')
    await ended
  }

  return {
    isFresh: () => isFresh,
    renew,
    async ask(order, limitMs) {
      child ??= start()
      const asked = child
      isFresh = false
      const limit = new AbortController()
      const timer = setTimeout(() => limit.abort(), limitMs)
      const { signal } = limit
      const gone = once(asked, 'exit', { signal }).then(
        () => null,
        () => null,
      )
      const answered = once(asked, 'message', { signal }).then(
        ([answer]: Answer[]) => answer ?? null,
        () => null,
      )
      asked.send(order)
      const answer = await Promise.race([answered, gone])
      clearTimeout(timer)
      limit.abort()
      if (answer === null) await renew()
      return answer
    },
  }
}
