/** Publishes a part of the recorded trades through a source with repairs. Then reads the facts in the log. */
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { chainBDefinition } from '../../../../ingest/chain-b/definition.ts'
import { factIdOf } from '../../../../ingest/chain-b/fact-order.ts'
import { createReserveMemory } from '../../../../ingest/chain-b/follow/reserve-memory.ts'
import type { RepairLimits } from '../../../../ingest/chain-b/repair/repairs.ts'
import type { RestateLimits } from '../../../../ingest/chain-b/repair/restating.ts'
import { withRepairs } from '../../../../ingest/chain-b/repair/with-repairs.ts'
import type { ChainBSource, MintFact } from '../../../../ingest/chain-b/types.ts'
import { createIngestCodecs } from '../../../../ingest/codecs.ts'
import { createChainPublisher } from '../../../../ingest/publish.ts'
import type { ChainBFact, CurveTraded, GapRepaired } from '../../../../schemas/chain-b/facts.ts'
import { chainBStage } from '../../../../schemas/chain-b/stage.ts'
import { createHoledLog } from '../../../support/log/holed-log.ts'
import { nodeOf, sourceOf, type Tape, type TapeNode } from './recorded-source.ts'

export type Run = Readonly<{
  tape: Tape
  /** The ids of the lost events. */
  lost: ReadonlySet<string>
  node?: TapeNode
  limits?: Partial<RepairLimits>
  restating?: Partial<RestateLimits>
  /** Ingest stops after each of these numbers of ranges, and starts again on the same log. */
  stopsAfter?: readonly number[]
  /** If true, a reorg replaces the first slot in which a lost event was published. */
  isTakenBack?: boolean
}>

const otherHash = `0x${'ee'.repeat(32)}` as const

/** The number of empty ranges at the end. After 75 empty ranges, a curve counts as quiet. */
const rangesOfSilence = 100
/** The largest number of empty ranges. It is high, because the clock does not wait for the node's answers. */
const emptyRangesMax = 20_000

/** The final facts of the log. */
export async function runRecorded(run: Run): Promise<readonly ChainBFact[]> {
  const { tape, lost, limits, restating, stopsAfter = [], node = nodeOf(tape), isTakenBack = false } = run
  const clock = { nowMs: 0 }
  const log = createHoledLog({ nowMs: () => clock.nowMs })
  const codecs = await createIngestCodecs(chainBStage, createMemoryRegistry())
  const nowMs = () => clock.nowMs
  const open = () => createChainPublisher({ log, codecs, chain: chainBDefinition, kind: 'chain', nowMs })
  const logger = pino({ level: 'silent' })
  const reserves = createReserveMemory()
  const told = { lost: new Set<string>(), silence: 0, empty: 0, reorgsLeft: isTakenBack ? 1 : 0, firstSlot: 0 }
  const isEnded = () => {
    told.empty++
    return (told.lost.size >= lost.size && ++told.silence > rangesOfSilence) || told.empty > emptyRangesMax
  }

  const noteTold = (facts: readonly MintFact[]) => {
    for (const { fact } of facts) {
      if (fact.type !== 'CurveTraded' || !lost.has(factIdOf(fact))) continue
      if (told.lost.size === 0) told.firstSlot = fact.data.blockNumber
      told.lost.add(factIdOf(fact))
    }
  }

  const runOnce = async (rangesMax: number) => {
    const publisher = await open()
    const recorded = sourceOf(tape, { reserves, lost, clock, isEnded })
    const changed = takenBack(recorded, () => {
      if (told.lost.size === 0 || told.reorgsLeft === 0) return null
      told.reorgsLeft--
      told.lost.clear()
      reserves.beginAnew()
      return told.firstSlot
    })
    const options = {
      node,
      reserves,
      logger,
      nowMs,
      delay: async () => setImmediate(),
      ...(limits && { limits }),
      ...(restating && { restating }),
    }
    const source = withRepairs(changed, options)
    let count = 0
    for await (const range of source.ranges(publisher.cursor(), publisher.known, new AbortController().signal)) {
      if (++count > rangesMax) break
      await publisher.publish(range, null)
      noteTold(range.facts)
    }
    await publisher.close()
  }
  for (const rangesMax of stopsAfter) await runOnce(rangesMax)
  await runOnce(Number.POSITIVE_INFINITY)
  if (told.reorgsLeft > 0) throw new TypeError('nothing was taken back')
  const { known } = await open()
  return (await known.factsFrom(0, () => true)).map(({ fact }) => fact)
}

/** Adds a reorg after each range for which `reorgFrom` returns a slot. */
const takenBack = (source: ChainBSource, reorgFrom: () => number | null): ChainBSource => ({
  kind: source.kind,
  async *ranges(...given) {
    const heard: MintFact[] = []
    for await (const range of source.ranges(...given)) {
      heard.push(...range.facts)
      yield range
      const fromBlock = reorgFrom()
      if (fromBlock === null) continue
      const facts = heard.filter(({ fact }) => fact.data.blockNumber >= fromBlock)
      yield { ...range, fromBlock, facts, revertedFrom: fromBlock, head: { ...range.head, hash: otherHash } }
    }
  },
})

export const tradesIn = (facts: readonly ChainBFact[]): readonly CurveTraded[] =>
  facts.flatMap((fact) => (fact.type === 'CurveTraded' ? [fact.data] : []))

export const repairsIn = (facts: readonly ChainBFact[]): readonly GapRepaired[] =>
  facts.flatMap((fact) => (fact.type === 'GapRepaired' ? [fact.data] : []))
