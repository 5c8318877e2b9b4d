// Ends the process where its main thread cannot: that thread hangs in a native part, or the process was told to end and does not.
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

/** @type {{ shared: Int32Array, stuckSec: number, endSec: number }} `shared`: a beat of the main thread, and 1 once it is to end. */
const { shared, stuckSec, endSec } = workerData

let lastBeat = -1
let stillSec = 0
let endingSec = 0

// Counted in ticks of its own: a process that was paused as a whole is not late.
setInterval(() => {
  const beat = Atomics.load(shared, 0)
  stillSec = beat === lastBeat ? stillSec + 1 : 0
  lastBeat = beat
  endingSec += Atomics.load(shared, 1)
  if (stillSec >= stuckSec)
    end(`its main thread has stood still for ${stuckSec} s, as after a fault in a native part; start it again`)
  if (endingSec >= endSec) end(`it had ${endSec} s to end in order and did not; what was committed is safe`)
}, 1_000)

function end(reason) {
  writeSync(2, `launch-data: the process is killed: ${reason}\n`)
  process.kill(process.pid, 'SIGKILL')
}
