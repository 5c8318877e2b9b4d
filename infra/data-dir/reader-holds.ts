/**
 * What readers in other processes still need of the log in a data directory. Each reader has a small file that names its
 * process and an instant; the owner's retention keeps the records appended from that instant on, for a bounded time. The
 * file of a reader that died is ignored and removed.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { processStart } from './process-start.ts'

/** Retention keeps records for readers at most this much longer. In six hours, a reader at four times the speed reads a day. */
export const readerWaitMsMax = 6 * 3_600_000

export type ReaderHold = Readonly<{
  /** Gives up what was appended before the instant. */
  from(appendedAtMs: number): void
  release(): void
}>

const holdFile = z.object({ pid: z.number(), startedAt: z.string(), fromAtMs: z.number() })

const folderOf = (dataDir: string): string => join(dataDir, 'readers')

/** Holds all that the log has. Take it before reading where the log begins. */
export function holdForReader(dataDir: string): ReaderHold {
  const folder = folderOf(dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${process.pid}-${crypto.randomUUID()}`)
  const startedAt = processStart(process.pid) ?? ''
  const write = (fromAtMs: number) => {
    // Renamed into place: the owner reads whole files only.
    writeFileSync(`${file}.new`, JSON.stringify({ pid: process.pid, startedAt, fromAtMs }), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  write(0)
  return { from: write, release: () => rmSync(file, { force: true }) }
}

/** The earliest instant from which on a running reader needs records; null if none does. Removes the files of dead readers. */
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

/** Null if its reader has just removed it, or it is not one of ours. */
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
