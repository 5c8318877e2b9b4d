/**
 * Reads the final facts of a topic without code of the service. It follows the rule in the schema of the
 * tick, and also checks the ticks.
 */

import { expect } from 'chai'
import type { Log } from '../../infra/log/log.ts'
import type { IngestCodecs } from '../../ingest/codecs.ts'
import { type ChainAFact, type ChainARecord, isAnswer } from '../../schemas/chain-a/facts.ts'
import type { ChainATypes } from '../../schemas/chain-a/stage.ts'
import type { Tick } from '../../schemas/tick.ts'
import { readRecords } from './read-records.ts'

export type CanonicalFacts = Readonly<{
  /** The sorted `type block:hash:logIndex` of each fact. */
  ids: readonly string[]
  facts: readonly ChainAFact[]
  ticks: readonly Tick[]
}>

export const idOfFact = ({ type, data }: ChainAFact): string =>
  `${type} ${String(data.blockNumber).padStart(9, '0')}:${data.blockHash}:${data.logIndex}`

export async function readCanonicalFacts(log: Log, codecs: IngestCodecs<ChainATypes>): Promise<CanonicalFacts> {
  const partitions = new Map<number, ChainARecord[]>()
  for (const { partition, record } of await readRecords(log, 'chain-a-facts', codecs.facts))
    if (record) partitions.set(partition, [...(partitions.get(partition) ?? []), record])
  const facts: ChainAFact[] = []
  let ticks: readonly Tick[] | undefined
  for (const records of partitions.values()) {
    const canonical = livingOf(records)
    facts.push(...canonical.facts)
    expect(canonical.ticks, 'every partition holds the same ticks').to.deep.equal(ticks ?? canonical.ticks)
    ticks ??= canonical.ticks
  }
  checkTicks(ticks ?? [])
  return { ids: facts.map(idOfFact).sort(), facts, ticks: ticks ?? [] }
}

function livingOf(records: readonly ChainARecord[]) {
  let canonical: ChainAFact[] = []
  let open: ChainAFact[] = []
  const ticks: Tick[] = []
  for (const record of records) {
    if (isAnswer(record)) continue
    if (record.type !== 'Tick') {
      open.push(record)
      continue
    }
    const { revertedFrom, blockNumber } = record.data
    const since = revertedFrom ?? (ticks.at(-1)?.blockNumber ?? -1) + 1
    for (const { data } of open)
      expect(data.blockNumber, 'told in the tick it belongs to').to.be.within(since, blockNumber)
    if (revertedFrom !== null) canonical = canonical.filter(({ data }) => data.blockNumber < revertedFrom)
    canonical.push(...open)
    open = []
    ticks.push(record.data)
  }
  expect(open, 'no fact stands behind the last tick').to.deep.equal([])
  return { facts: canonical, ticks }
}

function checkTicks(ticks: readonly Tick[]): void {
  expect(ticks.map(({ seq }) => seq)).to.deep.equal(ticks.map((_, index) => index + 1))
  const known = ticks.map(({ knownAtMs }) => knownAtMs)
  expect(known).to.deep.equal([...known].sort((one, other) => one - other))
}
