import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The unit of `Stats.blocks` in bytes, on every file system. */
const diskBlockBytes = 512

/**
 * Returns the disk space of each folder in the folder of the log, in bytes: one folder for each bulk topic, and the
 * folder `main` for all other topics. Only files that exist are counted, because retention may remove folders meanwhile.
 */
export async function readSizes(dataDir: string): Promise<ReadonlyMap<string, number>> {
  const folder = join(dataDir, 'log')
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  return new Map(await Promise.all(names.map(async (name) => [name, await bytesIn(join(folder, name))] as const)))
}

async function bytesIn(folder: string): Promise<number> {
  const paths = await readdir(folder, { recursive: true }).catch(() => [])
  const sizes = await Promise.all(paths.map((path) => bytesOf(join(folder, path))))
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

const bytesOf = async (path: string): Promise<number> => {
  const stats = await stat(path).catch(() => null)
  return stats?.isFile() ? stats.blocks * diskBlockBytes : 0
}
