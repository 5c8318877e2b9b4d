/**
 * Protects log records that readers in other processes still need. Each reader has a small file with its
 * process and a time. The process that owns the log delays the removal of records that were appended at that
 * time or later. The delay is at most six hours. The owner removes the files of readers that no longer run.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { processStart } from './process-start.ts'

/**
 * The maximum time by which readers delay the removal of records, in milliseconds. In six hours, a reader at
 * four times real time reads the records of 24 hours.
 */
export const readerWaitMsMax = 6 * 3_600_000

export type ReaderHold = Readonly<{
  /**
   * Declares that this reader needs only the records that were appended at `appendedAtMs` or later. Earlier
   * records may be removed.
   */
  from(appendedAtMs: number): void
  release(): void
}>

const holdFile = z.object({ pid: z.number(), startedAt: z.string(), fromAtMs: z.number() })

const folderOf = (dataDir: string): string => join(dataDir, 'readers')

/** Keeps all records of the log until the reader calls `from`. Call this before reading the first offset of the log. */
export function holdForReader(dataDir: string): ReaderHold {
  const folder = folderOf(dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${process.pid}-${crypto.randomUUID()}`)
  const startedAt = processStart(process.pid) ?? ''
  const write = (fromAtMs: number) => {
    // The file is written under another name and then renamed, so that the owner only reads complete files.
    writeFileSync(`${file}.new`, JSON.stringify({ pid: process.pid, startedAt, fromAtMs }), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  write(0)
  return { from: write, release: () => rmSync(file, { force: true }) }
}

/**
 * The earliest append time, in epoch ms, from which a running reader needs records. Null if no reader runs.
 * Removes the files of readers that no longer run.
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

/**
 * Reads the file of a reader. Returns null if the reader has just removed the file, or if the content of the
 * file is not valid.
 */
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
