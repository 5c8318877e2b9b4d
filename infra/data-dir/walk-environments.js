// Reads the LMDB environments of a data directory, and does not change their content. Prints the path of each
// environment before reading it. A damaged environment may end the process with a signal, so
// examine-environments.ts runs this file in a separate process.
import { accessSync, constants, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ABORT, open } from 'lmdb'

/**
 * The maximum number of value bytes to read in each environment. Without this limit, the start of the service
 * on a large log would take minutes. All keys are read.
 */
const valueBytesMax = 256 * 1024 * 1024

/**
 * The size of a test write that is undone at once, in bytes. To find enough contiguous free pages for the
 * write, LMDB reads its whole list of free pages.
 */
const triedBytes = 1024 * 1024

const [dataDir = ''] = process.argv.slice(2)
const lockFolder = join(dataDir, 'open-lock')

process.stdout.write(`${lockFolder}\n`)
mkdirSync(lockFolder, { recursive: true })
const lock = open({ path: lockFolder, noSubdir: false, mapSize: 2 ** 38, overlappingSync: false })

for (const folder of environmentsIn(dataDir)) {
  process.stdout.write(`${folder}\n`)
  const options = { path: folder, noSubdir: false, encoding: 'binary', mapSize: 2 ** 38 }
  const environment = openLocked({ ...options, readOnly: true })
  let bytes = 0
  for (const key of environment.getKeys())
    if (bytes < valueBytesMax) bytes += environment.getBinaryFast(key)?.length ?? 0
  await environment.close()
  if (!isWritable(join(folder, 'data.mdb'))) continue
  // LMDB reads its list of free pages only for a write. If the file was cut off, the list may lie beyond the
  // end of the file.
  const writer = openLocked({ ...options, overlappingSync: false })
  writer.transactionSync(() => {
    writer.putSync('', Buffer.alloc(triedBytes))
    return ABORT
  })
  await writer.close()
}
process.stdout.write('done\n')

/**
 * Opens an environment under the lock of open-lock.ts, because another process may write to the environment
 * at the same time.
 */
function openLocked(options) {
  const opened = []
  lock.transactionSync(() => {
    opened.push(open(options))
  })
  return opened[0]
}

function isWritable(file) {
  try {
    accessSync(file, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** @returns {string[]} */
function environmentsIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true })
  if (entries.some(({ name }) => name === 'data.mdb')) return [folder]
  return entries
    .filter((entry) => entry.isDirectory() && entry.name !== 'open-lock')
    .flatMap(({ name }) => environmentsIn(join(folder, name)))
}
