import { rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

let isStarted = false

/**
 * Starts the compilers of tsx in advance. Otherwise they would start when a test loads a file that is not in
 * tsx's cache, and a hook would report them as left open. Each way to load a file has its own compiler.
 */
export async function startCompilers(): Promise<void> {
  if (isStarted) return
  isStarted = true
  await loadNew('imported.mts', (file) => import(pathToFileURL(file).href))
  await loadNew('imported.cts', (file) => import(pathToFileURL(file).href))
  await loadNew('required.cts', createRequire(import.meta.url))
}

async function loadNew(name: string, load: (file: string) => unknown): Promise<void> {
  const file = join(tmpdir(), name)
  writeFileSync(file, `export const loadedBy: string = '${name} of ${process.pid} at ${Date.now()}'`)
  await load(file)
  rmSync(file)
}
