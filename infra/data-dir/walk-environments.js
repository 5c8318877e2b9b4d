// Reads the LMDB environments of a data directory, each after its path was written to standard output. A damaged one may end this
// process with a signal, which is why it is a process of its own: see examine-environments.ts.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'

/** Values are read up to so many bytes in each environment, and keys in all of it: a large log must not take minutes to start. */
const valueBytesMax = 256 * 1024 * 1024

const [dataDir = ''] = process.argv.slice(2)

for (const folder of environmentsIn(dataDir)) {
  process.stdout.write(`${folder}\n`)
  const environment = open({
    ...{ path: folder, noSubdir: false, encoding: 'binary', mapSize: 2 ** 38, readOnly: true },
  })
  let bytes = 0
  for (const key of environment.getKeys())
    if (bytes < valueBytesMax) bytes += environment.getBinaryFast(key)?.length ?? 0
  await environment.close()
}
process.stdout.write('done\n')

/** @returns {string[]} */
function environmentsIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true })
  if (entries.some(({ name }) => name === 'data.mdb')) return [folder]
  return entries.filter((entry) => entry.isDirectory()).flatMap(({ name }) => environmentsIn(join(folder, name)))
}
