/** Reads the facts of some tokens from the log. Each fact has the number of the tick that follows it. */
import { scan } from '../../../../infra/log/scan.ts'
import { createIngestCodecs } from '../../../../ingest/codecs.ts'
import type { Stage } from '../../../../schemas/stage.ts'
import type { Tick } from '../../../../schemas/tick.ts'
import type { Logged as World } from '../derive/project.ts'

/** `tick` is the number of the next tick after the record. */
export type Told<Record> = Readonly<{ record: Record; tick: number }>

type Logged<Record> = Readonly<{ key: string; record: Record }>

export type Facts<Record> = Readonly<{
  /** The ticks, which are the same in every partition. */
  ticks: readonly Tick[]
  /** The records of these tokens and the ticks of each partition, in order. */
  partitions: readonly (readonly Logged<Record>[])[]
  of(token: string): readonly Told<Record>[]
}>

type Reading = Readonly<{ stage: Stage; tokens: ReadonlySet<string> }>

export async function factsOf<Record extends Readonly<{ type: string; data: object }>>(
  { log, registry }: World,
  { stage, tokens }: Reading,
): Promise<Facts<Record>> {
  const { facts: codec } = await createIngestCodecs(stage, registry)
  const { name: topic, partitionCount } = stage.factTopic
  const partitions: Logged<Record>[][] = []
  const ofToken = new Map<string, Told<Record>[]>()
  const tellOf = (token: string, told: Told<Record>) => {
    const known = ofToken.get(token)
    if (known === undefined) ofToken.set(token, [told])
    else known.push(told)
  }
  let ticks: readonly Tick[] = []
  for (let partition = 0; partition < partitionCount; partition++) {
    const logged: Logged<Record>[] = []
    const its: Tick[] = []
    await scan({ log, topic, partition, codec }, 0, ({ key, value }) => {
      const isTick = value !== null && codec.typeOf(value) === 'Tick'
      if (value === null || !(isTick || tokens.has(key))) return undefined
      const record = codec.decode(value) as unknown as Record
      logged.push({ key, record })
      if (isTick) its.push(record.data as Tick)
      else tellOf(key, { record, tick: its.length })
      return undefined
    })
    partitions.push(logged)
    ticks = its
  }
  return { ticks, partitions, of: (token) => ofToken.get(token) ?? [] }
}

/** The tokens of all facts in the first partition. */
export async function someTokens({ log, registry }: World, stage: Stage): Promise<readonly string[]> {
  const { facts: codec } = await createIngestCodecs(stage, registry)
  const tokens = new Set<string>()
  await scan({ log, topic: stage.factTopic.name, partition: 0, codec }, 0, ({ key, value }) => {
    if (value !== null && codec.typeOf(value) !== 'Tick') tokens.add(key)
    return undefined
  })
  return [...tokens]
}

/** A cut time, and the newest block time that is known at the cut. */
export type Cut = Readonly<{ cutAtMs: number; blockAtMs: number }>

export function cutOf(ticks: readonly Tick[], cutAtMs: number): Cut {
  const tick = ticks.findLast(({ knownAtMs }) => knownAtMs <= cutAtMs)
  if (tick === undefined) throw new TypeError(`nothing is known at ${cutAtMs}`)
  return { cutAtMs, blockAtMs: tick.blockAtMs }
}

const never = Number.POSITIVE_INFINITY

/** Returns the first time at which the service knew a block later than `atMs`. */
export const knownAfter = (ticks: readonly Tick[], atMs: number): number =>
  ticks.find(({ blockAtMs }) => blockAtMs > atMs)?.knownAtMs ?? never
export const knownBy = (ticks: readonly Tick[], atMs: number): number =>
  ticks.find(({ blockAtMs }) => blockAtMs >= atMs)?.knownAtMs ?? never

export const isKnownAt = (ticks: readonly Tick[], { tick }: Readonly<{ tick: number }>, { cutAtMs }: Cut): boolean =>
  (ticks[tick]?.knownAtMs ?? never) <= cutAtMs

/** Returns the fields about time and chain, which every verdict has. */
export const envelopeOf = (chain: string, { cutAtMs, blockAtMs }: Cut) => ({
  ...{ chain, schemaVersion: 1, generatedAt: cutAtMs },
  ageSec: Math.max(0, Math.floor((cutAtMs - blockAtMs) / 1000)),
})
