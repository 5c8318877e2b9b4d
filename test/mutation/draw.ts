/**
 * Draws mutations of the code at random from all files. Each line on which a mutation starts has the same
 * probability.
 */
import { createRandom } from '../support/chain-a-node/random.ts'
import { type Change, changesOf, makeChange } from './changes.ts'

export type Draw = Readonly<{ count: number; seed: number }>

/**
 * Draws changes. The same seed and texts give the same changes. Returns fewer than `count` changes if the
 * files have no more.
 */
export async function drawChanges(
  texts: ReadonlyMap<string, string>,
  { count, seed }: Draw,
): Promise<readonly Change[]> {
  const random = createRandom(seed)
  const takeAny = <T>(items: T[]): T | undefined => items.splice(Math.floor(random() * items.length), 1)[0]
  const lines = [...texts].flatMap(([file, text]) => text.split('\n').map((_, index) => ({ file, line: index + 1 })))
  const changes = new Map<string, readonly Change[]>()
  const drawn: Change[] = []
  while (drawn.length < count) {
    const place = takeAny(lines)
    if (place === undefined) break
    const { file, line } = place
    const text = texts.get(file) ?? ''
    const known = changes.get(file) ?? (await changesOf(file, text))
    changes.set(file, known)
    const change = takeAny(known.filter((each) => each.line === line && makeChange(text, each) !== null))
    if (change) drawn.push(change)
  }
  return drawn
}
