/**
 * Secrets that the service generates if none is configured. They are stored in the data directory, where only the user
 * of the service can read them.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Returns the secret with this name as 64 hex digits. It is generated only one time for each data directory
 * and name.
 */
export async function keptSecret(dataDir: string, name: string): Promise<string> {
  const folder = join(dataDir, 'secrets')
  const file = join(folder, name)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    // `wx` fails if the file exists. If two processes start at the same time, one of them writes the file,
    // and the other reads the same secret.
    await writeFile(file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return (await readFile(file, 'utf8')).trim()
}

/**
 * Returns the secret if a service has generated it in this directory before, otherwise null. Used by programs
 * that must not write.
 */
export async function findSecret(dataDir: string, name: string): Promise<string | null> {
  try {
    return (await readFile(join(dataDir, 'secrets', name), 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
