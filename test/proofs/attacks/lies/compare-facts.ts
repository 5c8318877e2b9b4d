/** The facts of two data directories, without the instants at which they were known. */
import { openEmbeddedLog } from '../../../../infra/log/embedded/open-embedded-log.ts'
import type { OpenLog } from '../../../../infra/log/open-log.ts'
import { topics } from '../../../../schemas/topics.ts'
import type { Comparison, Side } from './world.ts'

/** Texts that must be there once on each side, however often they come. */
export type ReadTexts = (open: Pick<OpenLog, 'log' | 'registry'>) => Promise<readonly string[]>

export async function compareFacts(
  what: string,
  folders: Readonly<Record<Side, string>>,
  read: ReadTexts,
): Promise<Comparison> {
  const [lied, honest] = [await textsIn(folders['lied to'], read), await textsIn(folders.undisturbed, read)]
  const missing = less(honest, lied)
  const extra = less(lied, honest)
  const shown = (kind: string, texts: readonly string[]) =>
    texts.length === 0 ? [] : [`${texts.length} ${what} ${kind}, such as ${texts.slice(0, 3).join('\n    ')}`]
  return {
    compared: `${honest.length} ${what}`,
    differences: [
      ...(honest.length === 0 ? [`there are no ${what}`] : []),
      ...shown('are missing', missing),
      ...shown('are too many', extra),
    ],
  }
}

async function textsIn(dataDir: string, read: ReadTexts): Promise<readonly string[]> {
  const { log, registry, close } = await openEmbeddedLog(dataDir, { nowMs: Date.now, topicTable: topics })
  try {
    return await read({ log, registry })
  } finally {
    await close()
  }
}

/** What the first has more of than the second. */
function less(one: readonly string[], other: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const text of other) counts.set(text, (counts.get(text) ?? 0) + 1)
  return one.filter((text) => {
    const count = counts.get(text) ?? 0
    counts.set(text, count - 1)
    return count <= 0
  })
}

export const textOf = (data: object): string =>
  JSON.stringify(data, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
