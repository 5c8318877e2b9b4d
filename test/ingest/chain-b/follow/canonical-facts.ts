/**
 * Reads the final facts of chain B from the log, without code of the service. Like `schemas/tick.ts` says,
 * `revertedFrom` of a tick removes earlier facts.
 */
import { expect } from 'chai'
import type { Log } from '../../../../infra/log/log.ts'
import type { IngestCodecs } from '../../../../ingest/codecs.ts'
import type { ChainBFact, ChainBRecord } from '../../../../schemas/chain-b/facts.ts'
import { isAnswer } from '../../../../schemas/chain-b/facts.ts'
import type { ChainBTypes } from '../../../../schemas/chain-b/stage.ts'
import type { Tick } from '../../../../schemas/tick.ts'
import { readRecords } from '../../read-records.ts'

export type CanonicalChainB = Readonly<{
  facts: readonly Readonly<{ key: string; fact: ChainBFact }>[]
  ticks: readonly Tick[]
}>

type Keyed = Readonly<{ key: string; record: ChainBRecord }>

export async function readCanonicalChainB(log: Log, codecs: IngestCodecs<ChainBTypes>): Promise<CanonicalChainB> {
  const partitions = new Map<number, Keyed[]>()
  for (const { partition, key, record } of await readRecords(log, 'chain-b-facts', codecs.facts))
    if (record) partitions.set(partition, [...(partitions.get(partition) ?? []), { key, record }])
  const read = [...partitions.values()].map(livingOf)
  const ticks = read[0]?.ticks ?? []
  for (const each of read) expect(each.ticks, 'every partition holds the same ticks').to.deep.equal(ticks)
  expect(ticks.map(({ seq }) => seq)).to.deep.equal(ticks.map((_, index) => index + 1))
  return { facts: read.flatMap(({ facts }) => facts), ticks }
}

function livingOf(records: readonly Keyed[]): CanonicalChainB {
  let canonical: Readonly<{ key: string; fact: ChainBFact }>[] = []
  let open: typeof canonical = []
  const ticks: Tick[] = []
  for (const { key, record } of records) {
    if (isAnswer(record)) continue
    if (record.type !== 'Tick') {
      open.push({ key, fact: record })
      continue
    }
    const { revertedFrom, blockNumber } = record.data
    const since = revertedFrom ?? (ticks.at(-1)?.blockNumber ?? -1) + 1
    for (const { fact } of open)
      expect(fact.data.blockNumber, 'told in the tick it belongs to').to.be.within(since, blockNumber)
    if (revertedFrom !== null) canonical = canonical.filter(({ fact }) => fact.data.blockNumber < revertedFrom)
    canonical.push(...open)
    open = []
    ticks.push(record.data)
  }
  expect(open, 'no fact stands behind the last tick').to.deep.equal([])
  return { facts: canonical, ticks }
}
