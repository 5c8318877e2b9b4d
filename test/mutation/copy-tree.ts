/**
 * Makes a copy of a checkout in a temporary folder, so that files can be changed there. The checkout itself
 * is never written to.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { cp, mkdir, mkdtemp, realpath, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefix = 'launch-data-mutate-'
/** A folder in the copy for the files that tests leave behind. */
export const temporary = 'tmp'

/** Runs Mocha as `npm test` does, in one process. */
export const mochaOf = [
  ...['--max-semi-space-size=64', '--single-threaded-gc', '--import', 'tsx', 'node_modules/mocha/bin/mocha.js'],
  ...['--no-package', '--require', './test/property-seed.ts', '--require', './test/runtime-warnings.ts'],
  ...['--require', './test/left-open.ts'],
  ...['--exit', '--timeout', '60000', '--reporter', 'dot'],
] as const

export function listFiles(checkout: string, ...patterns: readonly string[]): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: checkout,
    encoding: 'utf8',
  })
  return listed
    .trim()
    .split('\n')
    .filter((file) => existsSync(join(checkout, file)))
}

/**
 * Copies the checkout to a new folder. The folder is removed when this process ends. If this process is
 * killed, the next run removes the folder.
 */
export async function copyTree(checkout: string): Promise<string> {
  for (const name of readdirSync(tmpdir())) if (isLeftBehind(name)) rmSync(join(tmpdir(), name), { recursive: true })
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))
  for (const file of listFiles(checkout)) await cp(join(checkout, file), join(folder, file), { recursive: true })
  await mkdir(join(folder, temporary))
  await symlink(await realpath(join(checkout, 'node_modules')), join(folder, 'node_modules'))
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
