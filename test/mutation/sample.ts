/** A part of the mutants that says about as much as all of them. */
import { createHash } from 'node:crypto'

/**
 * That share of each file's, evenly spaced, so that each part of a file is tried. It starts at a place that the seed and the name
 * of the file give: the same seed picks the same ones whatever other files are asked for, and another seed other ones.
 */
export function sample<T extends Readonly<{ file: string }>>(
  all: readonly T[],
  share: number,
  seed: number,
): readonly T[] {
  const seen = new Map<string, number>()
  return all.filter(({ file }) => {
    const nth = seen.get(file) ?? 0
    seen.set(file, nth + 1)
    const start = createHash('sha256').update(`${seed} ${file}`).digest().readUInt32BE() / 2 ** 32
    return Math.floor(start + (nth + 1) * share) > Math.floor(start + nth * share)
  })
}
