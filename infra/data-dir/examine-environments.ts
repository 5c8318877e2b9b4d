/**
 * Examines the LMDB files of a data directory before this process maps them into memory. A damaged page can
 * make LMDB end the process by a signal, without a message. Therefore a child process reads the files first.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { logDamaged } from '../checked-bytes.ts'
import { OperationError } from '../errors.ts'
import { refuseUnfinishedRestore } from './unfinished-restore.ts'

const walker = fileURLToPath(new URL('./walk-environments.js', import.meta.url))
const walkMsMax = 300_000

/**
 * Fails with `log_corrupt` if a file is damaged or missing. The error names the file. Fails with `restore_unfinished` if a
 * restore left only a part of the files. Creates nothing in a directory without a log.
 */
export async function examineEnvironments(dataDir: string): Promise<void> {
  refuseUnfinishedRestore(dataDir)
  if (!existsSync(join(dataDir, 'log')) && !existsSync(join(dataDir, 'owner'))) return
  checkIndexOf(join(dataDir, 'log'))
  const { folders, isDone, reason } = await walk(dataDir)
  const folder = folders.at(-1)
  if (isDone || folder === undefined) return
  throw damaged(dataDir, join(folder, 'data.mdb'), reason)
}

/**
 * Fails if the log has folders with the records of days, but no index. LMDB would create an empty index. The
 * log would then begin again at its first offset, without an error.
 */
function checkIndexOf(logFolder: string): void {
  const file = join(logFolder, 'main', 'data.mdb')
  const hasDays = foldersIn(logFolder).some((topic) => foldersIn(join(logFolder, topic)).length > 0)
  if (hasDays && !existsSync(file)) throw logDamaged(`${file} is missing`, { file })
}

const foldersIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    : []

type Walk = Readonly<{
  /**
   * The folders whose examination has begun. If the child process did not finish, the last folder is the
   * damaged one.
   */
  folders: readonly string[]
  isDone: boolean
  /** The reason why the child process did not finish. */
  reason: string
}>

async function walk(dataDir: string): Promise<Walk> {
  const child = spawn(process.execPath, [walker, dataDir], { stdio: ['ignore', 'pipe', 'pipe'], timeout: walkMsMax })
  let [output, errors] = ['', '']
  child.stdout.on('data', (bytes: Buffer) => {
    output += String(bytes)
  })
  child.stderr.on('data', (bytes: Buffer) => {
    errors = `${errors}${String(bytes)}`.slice(0, 4_000)
  })
  const ended = await new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(signal ?? `code ${code}`))
  })
  const folders = output.split('\n').filter((line) => line !== '')
  const isDone = folders.at(-1) === 'done'
  const said = /^\w*Error: (.*)$/m.exec(errors)?.[1]
  return { folders, isDone, reason: said ?? `reading it ended with ${ended}` }
}

function damaged(dataDir: string, file: string, reason: string): OperationError {
  const folder = ['owner', 'open-lock'].map((name) => join(dataDir, name)).find((name) => file.startsWith(name))
  if (folder === undefined) return logDamaged(`${file} cannot be read (${reason})`, { file })
  return new OperationError(
    'log_corrupt',
    `${file} cannot be read (${reason}). The file contains no records. If no process uses ${dataDir}, delete ${folder}`,
    { context: { file } },
  )
}
