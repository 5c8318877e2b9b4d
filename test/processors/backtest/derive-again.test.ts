/**
 * Tests that a stage gives the same rows when it runs over its facts again. This includes reorgs, and runs
 * over a part of the range.
 */
import { expect } from 'chai'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { deriveAgain } from '../../../processors/backtest/derive-again.ts'
import { KnownTimes } from '../../../processors/backtest/known-times.ts'
import { recordedRows } from '../../../processors/backtest/recorded-rows.ts'
import { signalsOf, typesOf } from '../../../processors/backtest/signals-of.ts'
import { signalsOf as chainASignals } from '../../../processors/chain-a/signals.ts'
import { signalsOf as chainBSignals } from '../../../processors/chain-b/signals.ts'
import type { RowVersions } from '../../../processors/runtime/restatement/row-versions.ts'
import { chainA, chainB } from '../../../processors/stages.ts'
import { isTick } from '../../../schemas/stage.ts'
import { asText } from '../../replay/canonical-log.ts'
import { lastSeqOf } from '../../replay/keyed-record.ts'
import { reorgSeeds } from '../../replay/reorgs/reorg-seeds.ts'
import { reorgedMarket } from '../../replay/reorgs/reorged-market.ts'
import { appendFacts, openStage, runUntil } from '../../replay/stage-log.ts'
import { reorgedCurveMarket } from '../../support/chain-b/market.ts'

const partition = 0
const kinds = chainASignals({ outcomes: 0.02, desk: 0.02 })
const types = new Set([...typesOf(kinds), 'PoolMinute'])
const deep = { ofTicks: 300, depth: 900, shortBy: 0, fates: ['same', 'dropped'] as const, isRehashed: false }

const textsOf = (rows: RowVersions): readonly string[] =>
  [...rows.values()].flatMap(({ token, record }) => (record ? [`${token} ${asText(record)}`] : [])).sort()

describe('a stage that is run again over its facts', () => {
  async function logOf(seed: number) {
    const open = await openStage(chainA)
    const records = reorgedMarket(seed, [deep])
    const log = createMemoryLog({ nowMs: () => 0 })
    await appendFacts({ ...open, log, partition }, records)
    await runUntil({ ...open, partition }, lastSeqOf(records), { log })
    const ticks = records.flatMap(({ record }) => (isTick(record) ? [record.data] : []))
    return { open, log, ticks }
  }

  it('gives the rows that it published, with all that reorgs did to them', async () => {
    let signals = 0
    for (const seed of reorgSeeds) {
      const { open, log, ticks } = await logOf(seed)
      const range = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }
      const shared = { log, partition, range, types }
      const [again = new Map()] = await deriveAgain([open], { ...shared, factCodec: open.factCodec })
      const recorded = await recordedRows(open.stage, { ...shared, derivedCodec: open.derivedCodec })
      expect(textsOf(again)).to.deep.equal(textsOf(recorded))
      expect(ticks.some(({ revertedFrom }) => revertedFrom !== null)).to.equal(true)
      const known = new KnownTimes(open.stage, kinds)
      const of = (rows: RowVersions) => signalsOf(open.stage, rows, { kinds, range, known })
      expect(of(again)).to.deep.equal(of(recorded))
      expect(new Set(of(again).map(({ id }) => id)).size, 'different ids').to.equal(of(again).length)
      signals += of(again).length
    }
    expect(signals).to.be.above(0)
  })

  it('gives the rows that it published on chain B too', async () => {
    const chainBKinds = chainBSignals({ outcomes: 0.025, desk: 0.025 })
    const wanted = typesOf(chainBKinds)
    const known = new KnownTimes(chainB.stage, chainBKinds)
    let signals = 0
    for (const seed of reorgSeeds) {
      const open = await openStage(chainB)
      const records = reorgedCurveMarket(seed, [deep])
      const log = createMemoryLog({ nowMs: () => 0 })
      await appendFacts({ ...open, log, partition }, records)
      await runUntil({ ...open, partition }, lastSeqOf(records), { log })
      const range = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }
      const shared = { log, partition, range, types: wanted }
      const [again = new Map()] = await deriveAgain([open], { ...shared, factCodec: open.factCodec })
      const recorded = await recordedRows(open.stage, { ...shared, derivedCodec: open.derivedCodec })
      expect(textsOf(again)).to.deep.equal(textsOf(recorded))
      signals += signalsOf(open.stage, again, { kinds: chainBKinds, range, known }).length
    }
    expect(signals).to.be.above(0)
  })

  it('gives at an earlier end what stood there then, a reorg behind it left out', async () => {
    const [seed = 1] = reorgSeeds
    const { open, log, ticks } = await logOf(seed)
    const reorg = ticks.findIndex(({ revertedFrom }) => revertedFrom !== null)
    for (const until of [reorg - 1, reorg, reorg + 1, Math.floor(ticks.length / 2)]) {
      const range = { fromMs: 0, toMs: (ticks[until]?.knownAtMs ?? 0) + 1 }
      const shared = { log, partition, range, types }
      const [again = new Map()] = await deriveAgain([open], { ...shared, factCodec: open.factCodec })
      const recorded = await recordedRows(open.stage, { ...shared, derivedCodec: open.derivedCodec })
      expect(textsOf(again), `until tick ${until}`).to.deep.equal(textsOf(recorded))
    }
  })

  it('tells how far it is, and counts each record once', async () => {
    const { open, log, ticks } = await logOf(1)
    let [total, knownAtMs] = [0, 0]
    const onProgress = (reached: Readonly<{ knownAtMs: number; records: number }>) => {
      expect(reached.knownAtMs).to.be.at.least(knownAtMs)
      knownAtMs = reached.knownAtMs
      total += reached.records
    }
    const range = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }
    await deriveAgain([open], { log, partition, range, types, factCodec: open.factCodec, onProgress })
    const { startOffset, endOffset } = await log.bounds(open.stage.factTopic.name, partition)
    expect(total).to.equal(endOffset - startOffset)
    expect(knownAtMs).to.equal(ticks.at(-1)?.knownAtMs)
  })
})
