/** Restores a backup into one new folder after the other until it is killed. Prints a line after the first of them. */
import { join } from 'node:path'
import { restoreBackup } from '../../../infra/backup/restore.ts'

const [folder = '', into = ''] = process.argv.slice(2)
const { signal } = new AbortController()
for (let number = 0; ; number++) {
  await restoreBackup({ folder, dataDir: join(into, `${number}`), signal })
  if (number === 0) process.stdout.write('begun\n')
}
