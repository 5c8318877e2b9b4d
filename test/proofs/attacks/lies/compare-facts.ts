/** Compares the facts of two data directories. Leaves out the times at which the facts became known. */
import { openEmbeddedLog } from '../../../../infra/log/embedded/open-embedded-log.ts'
import type { OpenLog } from '../../../../infra/log/open-log.ts'
import { topics } from '../../../../schemas/topics.ts'
import type { Comparison, Side } from './world.ts'

/** The facts of the blocks after the first tick, up to the last tick. */
export type ToldFacts = Readonly<{
  facts: readonly Readonly<{ block: number; text: string }>[]
  firstBlock: number
  lastBlock: number
}>
export type ReadFacts = (open: Pick<OpenLog, 'log' | 'registry'>) => Promise<ToldFacts>

/** Compares the blocks that both services know. The two services do not start or end at the same time. */
export async function compareFacts(
  what: string,
  folders: Readonly<Record<Side, string>>,
  read: ReadFacts,
): Promise<Comparison> {
  const [lied, honest] = [await factsIn(folders['lied to'], read), await factsIn(folders.undisturbed, read)]
  const fromBlock = Math.max(lied.firstBlock, honest.firstBlock) + 1
  const toBlock = Math.min(lied.lastBlock, honest.lastBlock)
  const common = ({ facts }: ToldFacts): readonly string[] =>
    facts.flatMap(({ block, text }) => (block >= fromBlock && block <= toBlock ? [text] : []))
  const [its, expected] = [common(lied), common(honest)]
  const shown = (kind: string, texts: readonly string[]) =>
    texts.length === 0 ? [] : [`${texts.length} ${what} ${kind}, such as ${texts.slice(0, 3).join('\n    ')}`]
  return {
    compared: `${expected.length} ${what} in blocks ${fromBlock} to ${toBlock}`,
    differences: [
      ...(expected.length === 0 ? [`there are no ${what}`] : []),
      ...shown('are missing', less(expected, its)),
      ...shown('are too many', less(its, expected)),
    ],
  }
}

async function factsIn(dataDir: string, read: ReadFacts): Promise<ToldFacts> {
  const { log, registry, close } = await openEmbeddedLog(dataDir, { nowMs: Date.now, topicTable: topics })
  try {
    return await read({ log, registry })
  } finally {
    await close()
  }
}

type Placed = Readonly<{ blockNumber: number }>

export const toldFacts = (
  facts: readonly Readonly<{ text: string; data: Placed }>[],
  ticks: readonly Placed[],
): ToldFacts => ({
  facts: facts.map(({ text, data }) => ({ text, block: data.blockNumber })),
  firstBlock: ticks[0]?.blockNumber ?? 0,
  lastBlock: ticks.at(-1)?.blockNumber ?? 0,
})

/** The items that `one` has more often than `other`. */
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
