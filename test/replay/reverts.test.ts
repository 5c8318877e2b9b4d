/** A chain that changes its mind, on the real stage: what is left is what a chain that never did would have given. */
import { expect } from 'chai'
import fc from 'fast-check'
import { createMemoryLog } from '../../infra/log/memory-log.ts'
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import type { Token } from '../../processors/runtime/token-book.ts'
import type { TokenOutput } from '../../processors/runtime/walk.ts'
import { chainATopology } from '../../processors/topology.ts'
import { type ChainADerivedRecord, rowKeyOf } from '../../schemas/chain-a/derived.ts'
import { asText, drive, lastRows, livingOf } from './living-log.ts'
import type { KeyedRecord } from './recut.ts'
import { revertedMarket, revertPlans } from './reverted-market.ts'
import { appendFacts, type Codecs, createCodecs, derivedBytes, inBatchesOf, readAll, runUntil } from './stage-log.ts'

const partition = 0
const market = fc.tuple(fc.nat(1000), revertPlans).map(([seed, plans]) => revertedMarket(seed, plans))
const lastSeqOf = (records: readonly KeyedRecord[]) => records.filter(({ record }) => record.type === 'Tick').length

type Run = Readonly<{ stops?: readonly number[]; snapshotEveryMs?: number; batchAppends?: number }>

describe('the chain A stage on a chain that is reverted', () => {
  let codecs: Codecs
  before(async () => {
    codecs = await createCodecs()
  })

  /** The clock advances by one at each look, so that a pace is a number of ticks. */
  const ranOn = async (records: readonly KeyedRecord[], { stops = [], snapshotEveryMs, batchAppends }: Run = {}) => {
    const memory = createMemoryLog({ nowMs: () => 0 })
    await appendFacts({ log: memory, codecs, partition }, records)
    const log = batchAppends === undefined ? memory : inBatchesOf(memory, batchAppends)
    let now = 0
    const pace = snapshotEveryMs === undefined ? {} : { snapshotEveryMs }
    for (const seq of [...stops, lastSeqOf(records)])
      await runUntil({ codecs, partition }, seq, { log, processors: chainATopology, nowMs: () => now++, ...pace })
    return memory
  }
  const bytesOf = async (...run: Parameters<typeof ranOn>) => derivedBytes(await ranOn(...run), partition)

  const derivedOf = async (...run: Parameters<typeof ranOn>) => {
    const stored = await readAll(await ranOn(...run), 'chain-a-derived', partition)
    return stored.map(({ key, value }) => ({ token: key as Token, record: codecs.derivedCodec.decode(value!) }))
  }
  const expectedOf = (records: readonly KeyedRecord[]) =>
    lastRows(drive(createTestDriver(chainATopology), livingOf(records)))
      .map(({ record }) => asText(record))
      .sort()

  it('ends with the rows of the chain that is left', () =>
    fc.assert(
      fc.asyncProperty(market, async (records) => {
        expect(finalRows(await derivedOf(records, { snapshotEveryMs: 40 }))).to.deep.equal(expectedOf(records))
      }),
      { numRuns: 25 },
    ))

  it('publishes the same bytes whatever the batches, the restarts and the snapshots', () =>
    fc.assert(
      fc.asyncProperty(market, fc.array(fc.nat(999), { maxLength: 4 }), async (records, places) => {
        const expected = await bytesOf(records)
        const stops = places.map((place) => 1 + Math.floor((place * lastSeqOf(records)) / 1000)).sort((a, b) => a - b)
        expect(await bytesOf(records, { batchAppends: 1, stops }), 'no snapshot').to.deep.equal(expected)
        expect(await bytesOf(records, { snapshotEveryMs: 0, stops }), 'at each tick').to.deep.equal(expected)
        expect(await bytesOf(records, { batchAppends: 7, snapshotEveryMs: 60, stops }), 'some').to.deep.equal(expected)
      }),
      { numRuns: 10 },
    ))

  it('would not end with them if nothing were restated', async () => {
    const plan = { ofTicks: 500, depth: 1500, shortBy: 0, fates: ['same', 'dropped'] as const, isRehashed: false }
    const records = revertedMarket(1, [plan])
    const derived = await derivedOf(records)
    expect(finalRows(derived)).to.deep.equal(expectedOf(records))
    expect(finalRows(withoutRestatements(derived))).not.to.deep.equal(expectedOf(records))
  })
})

type Derived = Readonly<{ token: Token; record: ChainADerivedRecord }>

/** What is published in the end, as text. */
function finalRows(derived: readonly Derived[]): string[] {
  const rows = new Map<string, TokenOutput>()
  for (const { token, record } of derived) {
    if (record.type === 'Tick' || record.type === 'Restated') continue
    const { recordType, pool, tier, atMs } = record.type === 'Withdrawn' ? record.data : rowKeyOf(record)
    const name = [token, recordType, pool, tier, atMs].join()
    if (record.type === 'Withdrawn') expect(rows.delete(name), `${name} was there`).to.equal(true)
    else rows.set(name, { token, record })
  }
  return [...rows.values()].map(({ record }) => asText(record)).sort()
}

/** What reverts published, taken away. */
function withoutRestatements(derived: readonly Derived[]): Derived[] {
  const left: Derived[] = []
  let open: Derived[] = []
  for (const output of derived) {
    open.push(output)
    if (output.record.type !== 'Tick') continue
    left.push(...(output.record.data.revertedFrom === null ? open : [output]))
    open = []
  }
  return left
}
