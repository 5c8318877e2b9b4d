import { expect } from 'chai'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { chainBDefinition } from '../../../../ingest/chain-b/definition.ts'
import { createIngestCodecs } from '../../../../ingest/codecs.ts'
import { createChainPublisher } from '../../../../ingest/publish.ts'
import { beforeTrade, launchReserves } from '../../../../schemas/chain-b/curve.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { chainBStage } from '../../../../schemas/chain-b/stage.ts'
import { createHoledLog } from '../../../support/log/holed-log.ts'
import { isSame, tradesOf } from './tape.ts'
import { bookOf, factsOf, hourMs, rangesOf, tapesOf, textOf } from './tell.ts'

const fromMs = Date.UTC(2026, 8, 1)
const reorgs = { seed: 3, everySlots: 100, depthMax: 30 }
const calm = { seed: 1, fromMs, toMs: fromMs + hourMs / 2 }
const told = { ...calm, reorgs }

type Place = Readonly<{ slot: number; hash: string }>
const placesOf = (facts: readonly ChainBFact[]): ReadonlyMap<string, Place> =>
  new Map(
    facts.map((fact) => [chainBDefinition.factIdOf(fact), { slot: fact.data.blockNumber, hash: fact.data.blockHash }]),
  )

/** Returns the facts that remain after all reorgs. */
function livingOf(ranges: Awaited<ReturnType<typeof rangesOf>>) {
  let canonical: (typeof ranges)[number]['facts'] = []
  for (const { revertedFrom = Number.POSITIVE_INFINITY, facts } of ranges)
    canonical = [...canonical.filter(({ fact }) => fact.data.blockNumber < revertedFrom), ...facts]
  return canonical
}

/** Returns the trades that do not begin where the trade before them ended. */
const brokenOf = (canonical: ReturnType<typeof livingOf>) =>
  [...tapesOf(canonical).values()].flatMap((tape) => {
    let last = launchReserves
    return tradesOf(tape).filter((trade) => {
      const isBroken = trade.quoteMint === null && !isSame(beforeTrade(trade), last)
      last = { quoteRaw: trade.virtualQuoteRaw, tokenRaw: trade.virtualTokenRaw }
      return isBroken
    })
  })

describe('the simulated chain B that leaves its branch', () => {
  it('keeps all facts of the calm market, some later or in other slots, and drops the trades that it never had', async () => {
    const ranges = await rangesOf(told)
    const first = placesOf(factsOf(await rangesOf(calm)).map(({ fact }) => fact))
    const canonical = livingOf(ranges)
    const last = placesOf(canonical.map(({ fact }) => fact))
    expect([...last.keys()].sort()).to.deep.equal([...first.keys()].sort())
    const ofAll = placesOf(factsOf(ranges).map(({ fact }) => fact))
    const dropped = [...ofAll.keys()].filter((id) => !last.has(id))
    const moved = [...last].filter(([id, { slot }]) => slot > first.get(id)!.slot)
    const again = [...last].filter(
      ([id, { slot, hash }]) => slot === first.get(id)!.slot && hash !== first.get(id)!.hash,
    )
    expect(Math.min(dropped.length, moved.length, again.length)).to.be.above(3)
  })

  it('obeys the formulas on every branch', async () => {
    const ranges = await rangesOf(told)
    const reorgAt = [...ranges.entries()].flatMap(([index, { revertedFrom }]) =>
      revertedFrom === undefined ? [] : [index],
    )
    expect(reorgAt).to.have.length.above(30)
    for (const index of reorgAt.filter((_, count) => count % 4 === 0)) {
      expect(brokenOf(livingOf(ranges.slice(0, index)))).to.deep.equal([])
      expect(brokenOf(livingOf(ranges.slice(0, index + 1)))).to.deep.equal([])
    }
  })

  it('is published without a contradiction, and its book follows', async () => {
    const log = createHoledLog({ nowMs: () => fromMs })
    const codecs = await createIngestCodecs(chainBStage, createMemoryRegistry())
    const publisher = await createChainPublisher({
      ...{ chain: chainBDefinition, kind: 'simulated', log, codecs },
      nowMs: () => fromMs,
    })
    const ranges = await rangesOf(told)
    for (const range of ranges) await publisher.publish(range, null)
    expect(publisher.cursor()?.number).to.equal(ranges.at(-1)!.head.number)
    const { mints } = publisher.known.book
    for (const { key, fact } of livingOf(ranges)) {
      if (fact.type !== 'CurveLaunched') continue
      const entry = [...mints.values()].find(({ curve }) => curve === fact.data.curve)
      expect(entry?.launchSlot, key).to.equal(fact.data.blockNumber)
    }
    expect([...(await publisher.known.factIdsFrom(0)).values()].reduce((sum, ids) => sum + ids.size, 0)).to.equal(
      livingOf(ranges).length,
    )
  })

  it('goes on from any cursor as if it had never stopped', async () => {
    const short = { ...told, toMs: fromMs + hourMs / 6, rangeSec: 7 }
    const whole = await rangesOf(short)
    // Includes stops directly after a reorg. The resumed source must then find the facts that the reorg
    // replaced.
    const reorgs = whole.flatMap(({ revertedFrom, facts }, index) => (revertedFrom && facts.length > 0 ? [index] : []))
    expect(reorgs).to.have.length.above(2)
    const stops = whole.flatMap((_, index) => (index % 11 === 1 ? [index] : []))
    for (const stop of [...stops, ...reorgs.slice(0, 4)]) {
      const before = whole.slice(0, stop)
      const rest = await rangesOf(short, before.at(-1)!.head, bookOf(before))
      expect(textOf(rest)).to.equal(textOf(whole.slice(stop)))
      expect(rest.map(({ revertedFrom }) => revertedFrom)).to.deep.equal(
        whole.slice(stop).map((range) => range.revertedFrom),
      )
    }
  })
})
