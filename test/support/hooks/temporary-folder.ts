import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Gives this process and its children their own folder for temporary files. */
export function useOwnTemporaryFolder(): void {
  const shared = tmpdir()
  const own = mkdtempSync(join(shared, 'launch-data-tests-'))
  // The process still shares tsx's cache of compiled programs with other processes.
  for (const name of readdirSync(shared)) if (name.startsWith('tsx-')) symlinkSync(join(shared, name), join(own, name))
  process.env.TMPDIR = own
  process.once('exit', () => rmSync(own, { recursive: true, force: true }))
}
