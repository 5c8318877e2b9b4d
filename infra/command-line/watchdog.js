// Ends the process if its main thread cannot: it hangs in native code, or does not end although it should.
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

/**
 * @type {{ shared: Int32Array, stuckSec: number, endSec: number }} `shared`: a counter that the main thread increases,
 * and 1 once the process should end.
 */
const { shared, stuckSec, endSec } = workerData

let lastBeat = -1
let stillSec = 0
let endingSec = 0

// Counts its own ticks, so that a process that was paused as a whole is not late.
setInterval(() => {
  const beat = Atomics.load(shared, 0)
  stillSec = beat === lastBeat ? stillSec + 1 : 0
  lastBeat = beat
  endingSec += Atomics.load(shared, 1)
  if (stillSec >= stuckSec)
    end(`its main thread has not responded for ${stuckSec} s, perhaps after a fault in native code; start it again`)
  if (endingSec >= endSec) end(`it did not end within ${endSec} s; committed data is safe`)
}, 1_000)

function end(reason) {
  writeSync(2, `launch-data: the process is killed: ${reason}\n`)
  process.kill(process.pid, 'SIGKILL')
}
