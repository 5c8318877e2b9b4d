/**
 * Which records readers in other processes still need. Each reader has a small file with its process and an instant,
 * and the owner's retention keeps the records appended from that instant on, for a limited time. Files of dead readers
 * are ignored and removed.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { processStart } from './process-start.ts'

/** Retention keeps records for readers at most this much longer. In six hours, a reader at four times the speed reads a day. */
export const readerWaitMsMax = 6 * 3_600_000

export type ReaderHold = Readonly<{
  /** Releases the records appended before the instant. */
  from(appendedAtMs: number): void
  release(): void
}>

const holdFile = z.object({ pid: z.number(), startedAt: z.string(), fromAtMs: z.number() })

const folderOf = (dataDir: string): string => join(dataDir, 'readers')

/** Holds everything in the log. Call this before reading where the log begins. */
export function holdForReader(dataDir: string): ReaderHold {
  const folder = folderOf(dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${process.pid}-${crypto.randomUUID()}`)
  const startedAt = processStart(process.pid) ?? ''
  const write = (fromAtMs: number) => {
    // Renamed into place, so that the owner only reads complete files.
    writeFileSync(`${file}.new`, JSON.stringify({ pid: process.pid, startedAt, fromAtMs }), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  write(0)
  return { from: write, release: () => rmSync(file, { force: true }) }
}

/**
 * The earliest instant from which a running reader needs records. Null if there is none. Removes the files of dead
 * readers.
 */
export function heldFromAtMs(dataDir: string): number | null {
  let earliest: number | null = null
  for (const name of filesIn(folderOf(dataDir))) {
    const file = join(folderOf(dataDir), name)
    const hold = readHold(file)
    if (hold === null) continue
    if (processStart(hold.pid) === hold.startedAt) earliest = Math.min(earliest ?? hold.fromAtMs, hold.fromAtMs)
    else rmSync(file, { force: true })
  }
  return earliest
}

/** Null if the reader has just removed the file, or the file is not ours. */
function readHold(file: string): z.infer<typeof holdFile> | null {
  try {
    return holdFile.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data ?? null
  } catch {
    return null
  }
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
