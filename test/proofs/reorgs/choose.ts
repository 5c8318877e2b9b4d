/**
 * Which seeds find which mistakes. Each mistake is made in a copy of the code, and seeds are tried until some find it; few
 * seeds that together find all that any does are then picked, those of the mistakes that hardly any finds first.
 */
import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Machinery, type Sabotage, sabotages } from './sabotages.ts'
import { trySeeds } from './try-seeds.ts'

const checkout = fileURLToPath(new URL('../../..', import.meta.url))
const leftOut = new Set(['node_modules', '.git', 'data'])
/** So many seeds that find a mistake are enough to choose from. */
const findersMax = 12

export type Finders = Readonly<{ name: string; tried: number; finders: readonly number[] }>

export type Choosing = Readonly<{
  machinery: Machinery
  seeds: readonly number[]
  /** Only mistakes whose name has it; default all. */
  named?: string
  onFinders: (finders: Finders) => void
}>

export async function findersOf({ machinery, seeds, named = '', onFinders }: Choosing): Promise<readonly Finders[]> {
  const folder = await mkdtemp(join(tmpdir(), 'reorg-seeds-'))
  try {
    const filter = (source: string) => source === checkout || !leftOut.has(basename(source))
    await cp(checkout, folder, { recursive: true, filter })
    await symlink(await realpath(join(checkout, 'node_modules')), join(folder, 'node_modules'))
    const all: Finders[] = []
    for (const sabotage of sabotages[machinery].filter(({ name }) => name.includes(named))) {
      const restore = await commit(folder, sabotage)
      const { tried, differing } = await trySeeds({ machinery, seeds, folder, differingMax: findersMax })
      await restore()
      const finders = { name: sabotage.name, tried, finders: differing }
      all.push(finders)
      onFinders(finders)
    }
    return all
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Resolves with what takes the mistake back. */
async function commit(folder: string, { name, file, text, instead }: Sabotage): Promise<() => Promise<void>> {
  const path = join(folder, file)
  const whole = await readFile(path, 'utf8')
  assert.equal(whole.split(text).length, 2, `${name}: ${file} has the text once`)
  // A function: dollar signs stay what they are.
  await writeFile(
    path,
    whole.replace(text, () => instead),
  )
  return () => writeFile(path, whole)
}

/** Few seeds, at least one for each mistake that any seed found. */
export function pickSeeds(all: readonly Finders[]): readonly number[] {
  let left = all.filter(({ finders }) => finders.length > 0)
  const picked: number[] = []
  while (left.length > 0) {
    const rarest = left.reduce((one, other) => (other.finders.length < one.finders.length ? other : one))
    const worthOf = (seed: number) => left.filter(({ finders }) => finders.includes(seed)).length
    const best = rarest.finders.reduce((one, other) => (worthOf(other) > worthOf(one) ? other : one))
    picked.push(best)
    left = left.filter(({ finders }) => !finders.includes(best))
  }
  return picked.sort((one, other) => one - other)
}
