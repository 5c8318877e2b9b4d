// Kills the process in two cases: the main thread hangs in native code, or the process does not end in time.
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

/**
 * @type {{ shared: Int32Array, stuckSec: number, endSec: number }} `shared[0]` is a counter that the main thread
 * increases. The main thread sets `shared[1]` to 1 when the process should end.
 */
const { shared, stuckSec, endSec } = workerData

let lastBeat = -1
let stillSec = 0
let endingSec = 0

// Measures time by counting the calls of this timer. A clock would also count the time while the whole
// process is paused.
setInterval(() => {
  const beat = Atomics.load(shared, 0)
  stillSec = beat === lastBeat ? stillSec + 1 : 0
  lastBeat = beat
  endingSec += Atomics.load(shared, 1)
  if (stillSec >= stuckSec)
    end(
      `its main thread has not responded for ${stuckSec} s, perhaps because of a fault in native code. Start it again`,
    )
  if (endingSec >= endSec) end(`it did not end within ${endSec} s. Committed data is safe`)
}, 1_000)

function end(reason) {
  writeSync(2, `launch-data: the process is killed: ${reason}\n`)
  process.kill(process.pid, 'SIGKILL')
}
