/** A copy of the checkout in a temporary folder, in which files are replaced. The checkout itself is never written to. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { cp, mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const prefix = 'launch-data-mutate-'
/** A folder in the copy. */
export const temporary = 'tmp'

export function listFiles(...patterns: readonly string[]): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    encoding: 'utf8',
  })
  return listed.trim().split('\n').filter(existsSync)
}

/** The folder is removed when this process ends; what a killed one left behind, when the next one starts. */
export async function copyTree(replaced: ReadonlyMap<string, string>): Promise<string> {
  for (const name of readdirSync(tmpdir())) if (isLeftBehind(name)) rmSync(join(tmpdir(), name), { recursive: true })
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))
  for (const file of listFiles()) await cp(file, join(folder, file))
  for (const [file, text] of replaced) await writeFile(join(folder, file), text)
  await mkdir(join(folder, temporary))
  await symlink(resolve('node_modules'), join(folder, 'node_modules'))
  return folder
}

function isLeftBehind(name: string): boolean {
  const [, pid] = new RegExp(`^${prefix}(\\d+)-`).exec(name) ?? []
  if (pid === undefined) return false
  try {
    return !process.kill(Number(pid), 0)
  } catch {
    return true
  }
}
