/**
 * Counts, for each burst, the buyers that had also bought in an earlier burst. The counts come from the final
 * derived records.
 */
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import { scan } from '../../../infra/log/scan.ts'
import type { BurstBuyers } from '../../../schemas/chain-a/derived.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import type { BurstAnatomy } from '../../../schemas/chain-b/derived.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import type { Stage, StageRecord } from '../../../schemas/stage.ts'
import type { Logged } from '../calls/derive/project.ts'

/** The counts by the name of a burst. `name` is computed below for each chain. */
export type Truth = ReadonlyMap<string, number>

type Window = Readonly<{ name: string; atMs: number; wallets: ReadonlySet<string>; isShown: boolean }>

export async function readTruth(logged: Logged): Promise<Truth> {
  const ofA = await readWindows(logged, chainAStage as unknown as Stage, ({ type, data }) => {
    if (type !== 'BurstBuyers') return null
    const { pool, tier, atMs, wallets } = data as BurstBuyers
    if (wallets === null) return null
    return { name: `${pool} ${tier} ${atMs}`, atMs, wallets: new Set(wallets), isShown: tier === 'main' }
  })
  const ofB = await readWindows(logged, chainBStage as unknown as Stage, ({ type, data }, mint) => {
    if (type !== 'BurstAnatomy') return null
    const { atMs, wallets } = data as BurstAnatomy
    return { name: `${mint} ${atMs}`, atMs, wallets: new Set(wallets), isShown: true }
  })
  return new Map([...countRepeats(ofA), ...countRepeats(ofB)])
}

async function readWindows(
  { log, registry }: Logged,
  { derivedTopic, factTopic }: Stage,
  windowOf: (record: StageRecord, key: string) => Window | null,
): Promise<readonly Window[]> {
  const windows: Window[] = []
  const codec = await createSchemaCodec<StageRecord>(derivedTopic, registry)
  for (let partition = 0; partition < factTopic.partitionCount; partition++)
    await scan({ log, topic: derivedTopic.name, partition, codec }, 0, ({ key, value }) => {
      const window = value && windowOf(codec.decode(value), key)
      if (window) windows.push(window)
      return undefined
    })
  return windows
}

function countRepeats(windows: readonly Window[]): readonly (readonly [name: string, count: number])[] {
  return windows.flatMap(({ name, atMs, wallets, isShown }) => {
    const earlier = windows.filter((other) => other.atMs < atMs)
    const repeats = [...wallets].filter((wallet) => earlier.some((other) => other.wallets.has(wallet)))
    return isShown ? [[name, repeats.length] as const] : []
  })
}
