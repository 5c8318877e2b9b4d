/** A copy of the code. A proof puts a mistake into the copy, and checks that the mistake is found. */
import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A mistake: one change in one file. */
export type Sabotage = Readonly<{
  name: string
  file: string
  /** This text must occur exactly one time in the file. */
  text: string
  instead: string
}>

export type Changes = Readonly<Record<string, readonly [text: string, instead: string]>>

export const sabotagesIn = (file: string, changes: Changes): readonly Sabotage[] =>
  Object.entries(changes).map(([name, [text, instead]]) => ({ name, file, text, instead }))

export type CheckoutCopy = Readonly<{
  folder: string
  /** Makes the mistake. The resolved function undoes the mistake. */
  commit: (sabotage: Sabotage) => Promise<() => Promise<void>>
}>

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const leftOut = new Set(['node_modules', '.git', 'data'])

export async function inCheckoutCopy<Result>(use: (copy: CheckoutCopy) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'checkout-'))
  try {
    const filter = (source: string) => source === checkout || !leftOut.has(basename(source))
    await cp(checkout, folder, { recursive: true, filter })
    await symlink(await realpath(join(checkout, 'node_modules')), join(folder, 'node_modules'))
    return await use({ folder, commit: (sabotage) => commit(folder, sabotage) })
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function commit(folder: string, { name, file, text, instead }: Sabotage): Promise<() => Promise<void>> {
  const path = join(folder, file)
  const whole = await readFile(path, 'utf8')
  assert.equal(whole.split(text).length, 2, `${name}: ${file} has the text once`)
  // With a function, `replace` does not interpret dollar signs.
  await writeFile(
    path,
    whole.replace(text, () => instead),
  )
  return () => writeFile(path, whole)
}
