/**
 * Holds the open lock of a data directory for 300 ms. Prints a line as soon as it holds the lock, and writes
 * the file `done` in the end. The second argument says when it holds the lock:
 * - `opens`: while it opens an LMDB environment
 * - `writes`: in a transaction
 * - `dies`: like `opens`, but it kills itself before it writes `done`
 */
import { writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import * as lmdb from 'lmdb'
import { loadLmdb } from '../../../infra/data-dir/lmdb.ts'

const [dataDir = '', how = ''] = process.argv.slice(2)
const heldMs = 300

const holdForAWhile = () => {
  writeSync(1, 'holds the lock\n')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, heldMs)
  if (how === 'dies') process.kill(process.pid, 'SIGKILL')
  writeFileSync(join(dataDir, 'done'), '')
}
const slowOpen = (options: lmdb.RootDatabaseOptionsWithPath) => {
  if (options.path?.endsWith('open-lock')) return lmdb.open(options)
  holdForAWhile()
  return lmdb.open(options)
}
const open = await loadLmdb(
  dataDir,
  async () => (how === 'writes' ? lmdb : { ...lmdb, open: slowOpen }) as typeof import('lmdb'),
)
const environment = open(join(dataDir, 'owner'))
if (how === 'writes') environment.transactionSync(holdForAWhile)
// The test ends this process by a signal, because a normal exit would close the environments. LMDB may fail
// in a process that opens an environment at the moment when the only other user closes it.
setInterval(() => {}, 1000)
