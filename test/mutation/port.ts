/** Finds the changes of one checkout in another checkout, where files may have moved and names may have changed. */
import { type Change, changesOf, makeChange } from './changes.ts'
import { type Entry, isGone, type Result, untried } from './results.ts'
import { type Statement, statementsOf, surroundingsOf } from './surroundings.ts'

const tokensOf = (text: string): readonly string[] => text.match(/[\w$]+|[^\s\w$]/g) ?? []

type Counts = Readonly<{ of: ReadonlyMap<string, number>; total: number }>

const counted = new Map<string, Counts>()

/**
 * Counts the tokens of a text. The counts are cached, because each change is compared with thousands of
 * places.
 */
function countTokens(text: string): Counts {
  const known = counted.get(text)
  if (known) return known
  const tokens = tokensOf(text)
  const of = new Map<string, number>()
  for (const token of tokens) of.set(token, (of.get(token) ?? 0) + 1)
  const counts = { of, total: tokens.length }
  counted.set(text, counts)
  return counts
}

/** Returns Dice's coefficient of the tokens. It is 1 for the same tokens and 0 for no common token. */
function similarity(left: string, right: string): number {
  if (left === right) return 1
  const [one, other] = [countTokens(left), countTokens(right)]
  let shared = 0
  for (const [token, count] of one.of) shared += Math.min(count, other.of.get(token) ?? 0)
  return (2 * shared) / (one.total + other.total)
}

/**
 * An `original` with more characters is not compared in full, because a long text may differ inside in the
 * other checkout.
 */
const wholeLengthMax = 80

const withoutNames = (text: string): string => text.replace(/[A-Za-z_$][\w$]*/g, 'a').replace(/\s+/g, '')

/**
 * Returns the shape of a change. Changes that differ only in names have the same shape. For a long
 * `original`, only the first character counts.
 */
function shapeOf({ original, replacement }: Change): string {
  const shape = original.length > wholeLengthMax ? original.slice(0, 1) : withoutNames(original)
  return `${shape} -> ${withoutNames(replacement)}`
}

type Place = Readonly<{ change: Change; text: string; statements: readonly Statement[] }>

/**
 * A place with a lower similarity does not count as the same change of the code. Check the least similar of
 * the accepted places by hand.
 */
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

/** Finds the changes of `before` in `texts`. Returns them in the same order, as untried changes. */
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
