/** Answers that a running service sold, and a check that its tables still give them. */
import { createHash } from 'node:crypto'
import type { Tell } from '../same/now.ts'

export type Sold = Readonly<{ path: string; cutAtMs: number; sha256: string }>

const digestOf = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** `body` is the text as it was sent. */
export const soldAs = (path: string, body: string): Sold => ({
  path,
  cutAtMs: (JSON.parse(body) as Readonly<{ generatedAt: number }>).generatedAt,
  sha256: digestOf(body),
})

/** Returns the sold answers that differ when they are asked for again at their cuts. */
export async function soldOtherwise(tell: Tell, sold: readonly Sold[]): Promise<readonly Sold[]> {
  const found: Sold[] = []
  for (const one of sold) if (digestOf(await tell(one.path, one.cutAtMs)) !== one.sha256) found.push(one)
  return found
}

/** For each chain, the path of a list whose answer shows one row version that the proof can remove. */
export const everyPoolPath = '/v1/rh/pools/new?hours=24&limit=1000'
export const everyCurveBurstPath = '/v1/sol/bursts/live?minutes=240'

/** Returns the newest answer of `path`, and a function for the answers from before a time. */
export function shownIn(sold: readonly Sold[], path: string) {
  const ordered = [...sold].sort((one, other) => one.cutAtMs - other.cutAtMs)
  const shown = ordered.findLast((one) => one.path === path)
  if (!shown) throw new TypeError(`no answer to ${path} was sold`)
  return { shown, before: (atMs: number) => ordered.filter(({ cutAtMs }) => cutAtMs < atMs) }
}
