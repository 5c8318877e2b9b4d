/** A process that hangs in one of several ways, with a watchdog of two seconds. */
import { setTimeout as sleep } from 'node:timers/promises'
import { mustEndSoon, watchProcess } from '../../../infra/command-line/watch-process.ts'

const watch = watchProcess({ stuckSec: 2, endSec: 2 })
const [what] = process.argv.slice(2)
const until = (atMs: number) => {
  while (performance.now() < atMs);
}
if (what === 'stuck') {
  // The watchdog has started.
  await sleep(1_000)
  until(Number.POSITIVE_INFINITY)
}
if (what === 'endless') {
  mustEndSoon()
  setInterval(() => {}, 1_000)
}
if (what === 'busy') {
  for (let turn = 0; turn < 8; turn++) {
    until(performance.now() + 600)
    await sleep(1)
  }
  await watch.stop()
  process.exitCode = 3
}
