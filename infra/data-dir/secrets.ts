/** A secret that the operator did not give: made once, kept in the data folder, readable by its owner alone. */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** 64 hex digits, the same for the life of the data folder. */
export async function keptSecret(dataDir: string, name: string): Promise<string> {
  const folder = join(dataDir, 'secrets')
  const file = join(folder, name)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    // `wx` fails where the file exists: of two starts at once, one writes and both read the same.
    await writeFile(file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return (await readFile(file, 'utf8')).trim()
}
