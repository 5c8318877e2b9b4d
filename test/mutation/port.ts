/** Finds changes of one checkout in another, where files may have moved and names may have changed. */
import { type Change, changesOf, makeChange } from './changes.ts'
import { type Entry, isGone, type Result, untried } from './results.ts'
import { type Statement, statementsOf, surroundingsOf } from './surroundings.ts'

const tokensOf = (text: string): readonly string[] => text.match(/[\w$]+|[^\s\w$]/g) ?? []

function countTokens(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const token of tokensOf(text)) counts.set(token, (counts.get(token) ?? 0) + 1)
  return counts
}

/** Dice's coefficient of the tokens: 1 for the same tokens, 0 for none in common. */
function similarity(left: string, right: string): number {
  const [leftCounts, rightCounts] = [countTokens(left), countTokens(right)]
  const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0)
  const total = sum(leftCounts.values()) + sum(rightCounts.values())
  const shared = sum([...leftCounts].map(([token, count]) => Math.min(count, rightCounts.get(token) ?? 0)))
  return total === 0 ? 1 : (2 * shared) / total
}

/** The same for changes that differ in names alone. */
const shapeOf = ({ original, replacement }: Change): string =>
  [original, replacement].map((text) => text.replace(/[A-Za-z_$][\w$]*/g, 'a').replace(/\s+/g, '')).join(' -> ')

type Place = Readonly<{ change: Change; text: string; statements: readonly Statement[] }>

/** A change that is less similar is another one. Of those above it, the least similar need a look. */
const similarityMin = 0.67

/** From 0 to 1. */
function similarityTo(result: Result, { change, text, statements }: Place): number {
  const { lineText, around, offsetInAround } = surroundingsOf(change, text, statements)
  const drift = Math.abs(offsetInAround / around.length - result.offsetInAround / result.around.length)
  const sum =
    similarity(around, result.around) +
    similarity(lineText, result.lineText) +
    similarity(change.original, result.original) / 2 +
    similarity(change.file, result.file) / 4 +
    (1 - drift) / 4
  return sum / 3
}

/** Those of `before` in these texts, in the same order, not yet tried. */
export async function portChanges(
  before: readonly Entry[],
  texts: ReadonlyMap<string, string>,
): Promise<readonly Entry[]> {
  const results = before.filter((entry): entry is Result => !isGone(entry))
  const wanted = new Set(results.map(shapeOf))
  const places = new Map<string, Place[]>()
  for (const [file, text] of texts) {
    const statements = statementsOf(file, text)
    for (const change of await changesOf(file, text)) {
      const shape = shapeOf(change)
      if (wanted.has(shape)) places.set(shape, [...(places.get(shape) ?? []), { change, text, statements }])
    }
  }
  return results.map((result) => portChange(result, places.get(shapeOf(result)) ?? []))
}

function portChange(result: Result, places: readonly Place[]): Entry {
  const [best] = places
    .map((place) => ({ place, similarity: similarityTo(result, place) }))
    .toSorted((left, right) => right.similarity - left.similarity)
  if (best === undefined || best.similarity < similarityMin) return { gone: result }
  const { change, text, statements } = best.place
  if (makeChange(text, change) === null) return { gone: result }
  const { file, line, killedBy } = result
  return {
    ...change,
    ...surroundingsOf(change, text, statements),
    ...untried,
    portedFrom: { file, line, killedBy, similarity: Number(best.similarity.toFixed(2)) },
  }
}
