/** The session of the account: as good as its password, so its owner alone may read the file, and it stands in no log. */
import { join } from 'node:path'
import { readPrivate, writePrivate } from './private-file.ts'

const fileIn = (dataDir: string): string => join(dataDir, 'chats', 'session')

/** Null: nobody signed in. */
export async function readSession(dataDir: string): Promise<string | null> {
  const text = await readPrivate(fileIn(dataDir))
  return text === null || text.trim() === '' ? null : text.trim()
}

/** Returns where it is. */
export async function writeSession(dataDir: string, session: string): Promise<string> {
  await writePrivate(fileIn(dataDir), `${session}\n`)
  return fileIn(dataDir)
}
