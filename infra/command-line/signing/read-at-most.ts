import { open } from 'node:fs/promises'
import { OperationError } from '../../errors.ts'

/** Reads a file. Fails with `nothing_found` if there is none, or if it is larger than `bytesMax`. */
export async function readAtMost(path: string, bytesMax: number): Promise<Buffer> {
  const file = await open(path).catch((cause: NodeJS.ErrnoException) => {
    throw new OperationError('nothing_found', `the file ${path} cannot be read (${cause.code}). Correct its name`, {
      cause,
    })
  })
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new OperationError('nothing_found', `${path} is no file. Name a file`)
    if (stats.size > bytesMax)
      throw new OperationError('nothing_found', `${path} has ${stats.size} bytes, and at most ${bytesMax} are read`)
    return await file.readFile()
  } finally {
    await file.close()
  }
}
