/** Makes one backup after the other until it is killed. Prints a line when the first of them is complete. */
import { join } from 'node:path'
import { backUp } from '../../../infra/backup/back-up.ts'
import { copierOf } from './data-dir.ts'

const [dataDir = '', root = ''] = process.argv.slice(2)
const { signal } = new AbortController()
for (let number = 0; ; number++) {
  await backUp({ dataDir, folder: join(root, `${number}`), copyLog: copierOf(dataDir), nowMs: Date.now, signal })
  if (number === 0) process.stdout.write('begun\n')
}
