/**
 * Finds out which seeds find which mistakes. Makes each mistake in a copy of the code, and tries seeds until
 * enough seeds find the mistake. Then picks few seeds that together find every mistake that any seed found.
 * Mistakes that few seeds find are handled first.
 */
import { inCheckoutCopy } from '../checkout-copy.ts'
import { type Machinery, sabotages } from './sabotages.ts'
import { trySeeds } from './try-seeds.ts'

/** The search for seeds that find a mistake ends at this number of seeds. */
const findersMax = 12

export type Finders = Readonly<{ name: string; tried: number; finders: readonly number[] }>

export type Choosing = Readonly<{
  machinery: Machinery
  seeds: readonly number[]
  /** Only mistakes with this text in their names are tried. Default: all. */
  named?: string
  onFinders: (finders: Finders) => void
}>

export function findersOf({ machinery, seeds, named = '', onFinders }: Choosing): Promise<readonly Finders[]> {
  return inCheckoutCopy(async ({ folder, commit }) => {
    const all: Finders[] = []
    for (const sabotage of sabotages[machinery].filter(({ name }) => name.includes(named))) {
      const restore = await commit(sabotage)
      const { tried, differing } = await trySeeds({ machinery, seeds, folder, differingMax: findersMax })
      await restore()
      const finders = { name: sabotage.name, tried, finders: differing }
      all.push(finders)
      onFinders(finders)
    }
    return all
  })
}

/** Picks few seeds that together find every mistake that any seed found. */
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
