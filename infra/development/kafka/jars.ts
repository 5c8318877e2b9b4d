/** The Java programs of the local Kafka cluster. Maven downloads them into the user's cache. */
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { OperationError } from '../../errors.ts'

export type Piece = 'broker' | 'registry'

/** Called with the progress of a download, as text for people. */
export type Report = (text: string) => void

const goals = {
  broker: 'dependency:copy-dependencies@broker',
  registry: 'dependency:unpack@registry',
} as const satisfies Record<Piece, string>

const pomPath = fileURLToPath(new URL('./pom.xml', import.meta.url))
const javaVersionMin = 17

export const cacheDir = (): string => join(systemCacheDir(), 'launch-data-kafka')

/**
 * Returns the folder with the jar files of the broker or the registry, and downloads them if they are
 * missing. Fails with `dependency_missing` without Java, Maven or a network.
 */
export async function fetchJars(piece: Piece, report: Report): Promise<string> {
  await assertJava()
  const folder = join(cacheDir(), await pomHash(), piece)
  if (!existsSync(folder)) await fetchInto(folder, piece, report)
  return folder
}

/**
 * A hash of `pom.xml`, the file that lists the jar files. The hash is part of the folder's name, so a changed
 * `pom.xml` leads to a new download.
 */
async function pomHash(): Promise<string> {
  return createHash('sha256')
    .update(await readFile(pomPath))
    .digest('hex')
    .slice(0, 12)
}

/**
 * Downloads jar files into a temporary folder, then renames the folder. So two processes may download at the
 * same time, and no reader finds an incomplete folder.
 */
async function fetchInto(folder: string, piece: Piece, report: Report): Promise<void> {
  const partial = `${folder}.${process.pid}`
  await mkdir(partial, { recursive: true })
  try {
    await runMaven([goals[piece], `-Dinto=${partial}`], (file, count) => report(`${piece}: ${count} files, ${file}`))
    await rename(partial, folder)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}

async function runMaven(args: readonly string[], onFile: (file: string, count: number) => void): Promise<void> {
  const child = spawn('mvn', ['-B', '-f', pomPath, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', (cause) => reject(missing('Maven 3.8 or newer (mvn)', cause)))
    child.once('close', resolve)
  })
  const errors: string[] = []
  let count = 0
  const lines = createInterface({ input: child.stdout }).on('line', (line) => {
    const file = /Download(?:ing|ed) from \S+ \S*\/([^/\s]+)/.exec(line)?.[1]
    if (line.includes('Downloaded from')) count++
    if (file !== undefined) onFile(file, count)
    if (line.includes('ERROR')) errors.push(line)
  })
  const exitCode = await ended.finally(() => lines.close())
  if (exitCode === 0) return
  throw new OperationError('dependency_missing', `Maven could not download the local cluster: ${errors[0] ?? ''}`, {
    context: { exitCode },
  })
}

async function assertJava(): Promise<void> {
  if (process.platform === 'win32')
    throw new OperationError(
      'dependency_missing',
      'the local cluster needs Linux or macOS. Use infra/compose.yaml instead',
    )
  const { stderr } = await promisify(execFile)('java', ['-version']).catch((cause: unknown) => {
    throw missing(`a Java runtime ${javaVersionMin} or newer (java)`, cause)
  })
  const version = Number(/version "(\d+)/.exec(stderr)?.[1])
  if (version < javaVersionMin) throw missing(`Java ${javaVersionMin} or newer (found ${version})`, undefined)
}

const missing = (what: string, cause: unknown) =>
  new OperationError('dependency_missing', `the local cluster needs ${what}. Install it and put it on the PATH`, {
    cause,
  })

function systemCacheDir(): string {
  return process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache')
}
