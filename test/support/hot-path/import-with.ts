import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'

/** A mistake in a file: `text`, which must occur in it exactly one time, is replaced. */
export type Fault = Readonly<{ text: string; instead: string }>

const checkout = fileURLToPath(new URL('../../..', import.meta.url))

/** Imports a module of the checkout, and all that it imports, with the mistake. The file stays as it is. */
export async function importWith<Module>(file: string, { text, instead }: Fault): Promise<Module> {
  const path = join(checkout, file)
  const parts = readFileSync(path, 'utf8').split(text)
  assert.equal(parts.length, 2, `${file} has this text ${parts.length - 1} times: ${text}`)
  const folder = await mkdtemp(join(tmpdir(), 'planted-'))
  try {
    const outfile = join(folder, 'module.mjs')
    const stdin = { contents: parts.join(instead), resolveDir: dirname(path), loader: 'ts' } as const
    buildSync({ stdin, outfile, bundle: true, format: 'esm', platform: 'node', packages: 'external' })
    return (await import(pathToFileURL(outfile).href)) as Module
  } finally {
    await rm(folder, { recursive: true })
  }
}
