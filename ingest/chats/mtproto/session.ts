/**
 * Stores the account's session. Anybody who has the session can use the account without the password. So only
 * the owner of the file may read it, and the session is never logged.
 */
import { join } from 'node:path'
import { readPrivate, writePrivate } from './private-file.ts'

const fileIn = (dataDir: string): string => join(dataDir, 'chats', 'session')

/** Returns the stored session. Returns null if nobody has signed in. */
export async function readSession(dataDir: string): Promise<string | null> {
  const text = await readPrivate(fileIn(dataDir))
  return text === null || text.trim() === '' ? null : text.trim()
}

/** Stores the session. Returns the path of the file. */
export async function writeSession(dataDir: string, session: string): Promise<string> {
  await writePrivate(fileIn(dataDir), `${session}\n`)
  return fileIn(dataDir)
}
