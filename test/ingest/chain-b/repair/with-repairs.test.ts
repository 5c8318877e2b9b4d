import { expect } from 'chai'
import fc from 'fast-check'
import { factIdOf } from '../../../../ingest/chain-b/fact-order.ts'
import { beforeTrade } from '../../../../schemas/chain-b/curve.ts'
import type { ChainBFact, CurveTraded } from '../../../../schemas/chain-b/facts.ts'
import { eventsOf, nodeOf, stretchOf, type Tape, tapes, tradeOf } from './recorded-source.ts'
import { repairsIn, runRecorded, tradesIn } from './run-recorded.ts'

/**
 * Returns the trade as it would be without a loss. It has its true slot and time, and all values of the
 * event.
 */
function toldOf({ txIndex: _index, blockHash: _hash, lateSlot, lateAtMs, ...trade }: CurveTraded): object {
  return {
    ...{ ...trade, blockNumber: lateSlot ?? trade.blockNumber, blockAtMs: lateAtMs ?? trade.blockAtMs },
    ...{ lateSlot: null, lateAtMs: null },
  }
}

const idOf = ({ txHash, logIndex }: CurveTraded): string => `${txHash}:${logIndex}`
const sortById = (trades: readonly CurveTraded[]) =>
  [...trades].sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1)).map(toldOf)

/**
 * Expects that each trade is in the log one time, that only lost trades are late, and that every remaining
 * gap is repaired.
 */
function expectWhole(tape: Tape, lost: readonly string[], facts: readonly ChainBFact[]): void {
  expect(sortById(tradesIn(facts))).to.deep.equal(sortById(eventsOf(tape).map(tradeOf)))
  const late = tradesIn(facts).filter(({ lateSlot }) => lateSlot !== null)
  expect(new Set([...lost, ...late.map(idOf)])).to.deep.equal(new Set(lost))
  for (const { lateSlot, blockNumber } of late) expect(lateSlot).to.be.below(blockNumber)
  const repairs = repairsIn(facts)
  expect(repairs.filter(({ isWhole, failure }) => !isWhole || failure !== null)).to.deep.equal([])
  const idsOfGaps = facts.flatMap((fact) =>
    fact.type === 'GapFound' ? [`${fact.data.txHash}:${fact.data.logIndex}`] : [],
  )
  const idsOfRepairs = repairs.flatMap(({ gapTxHash, gapLogIndex }) =>
    gapTxHash ? [`${gapTxHash}:${gapLogIndex}`] : [],
  )
  expect([...idsOfRepairs].sort()).to.deep.equal([...idsOfGaps].sort())
}

/**
 * Expects that the log looks as if nothing had been lost. There are no gaps, and each trade begins where the
 * trade before it ended.
 */
function expectRestated(tape: Tape, lost: readonly string[], facts: readonly ChainBFact[]): void {
  expectWhole(tape, lost, facts)
  expect(facts.filter(({ type }) => type !== 'CurveTraded')).to.deep.equal([])
  for (const [index, trade] of tradesIn(facts).entries()) {
    const before = tradesIn(facts)[index - 1]
    expect(trade.lateSlot).to.equal(null)
    if (before) expect(reservesBefore(trade)).to.deep.equal([before.virtualQuoteRaw, before.virtualTokenRaw])
  }
}

const reservesBefore = (trade: CurveTraded): readonly bigint[] => {
  const { quoteRaw, tokenRaw } = beforeTrade(trade)
  return [quoteRaw, tokenRaw]
}

function expectLate(tape: Tape, lost: readonly string[], facts: readonly ChainBFact[]): void {
  expectWhole(tape, lost, facts)
  const late = tradesIn(facts).filter(({ lateSlot }) => lateSlot !== null)
  expect(new Set(late.map(idOf))).to.deep.equal(new Set(lost))
}

const tapeOf = (index: number): Tape => tapes[index] ?? expect.fail('no tape')
const idsOf = (tape: Tape): readonly string[] => eventsOf(tape).map(({ fact }) => factIdOf(fact))
const count = 40

const losses = fc.record({
  tapeIndex: fc.constantFrom(...tapes.keys()),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  chance: fc.constantFrom(0.05, 0.2, 0.6, 1),
  draws: fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { minLength: 80, maxLength: 80 }),
})
type Loss = typeof losses extends fc.Arbitrary<infer Drawn> ? Drawn : never

function drawn({ tapeIndex, share, chance, draws }: Loss): Readonly<{ tape: Tape; lost: readonly string[] }> {
  const tape = stretchOf(tapeOf(tapeIndex), share, count)
  return { tape, lost: idsOf(tape).filter((_, index) => (draws[index % draws.length] ?? 1) < chance) }
}

/**
 * Leaves out lost trades in the first slot of the log. Publishing again can begin at the second slot at the
 * earliest.
 */
function behindFirstSlot(tape: Tape, lost: readonly string[]): readonly string[] {
  const [first] = tape.transactions
  const ofFirst = eventsOf({ ...tape, transactions: tape.transactions.filter(({ slot }) => slot === first?.slot) })
  const kept = new Set(ofFirst.map(({ fact }) => factIdOf(fact)))
  return lost.filter((id) => !kept.has(id))
}

/** With this limit, no repair is too old for a restatement. */
const deep = { slotsMax: 1_000_000 }
const never = { slotsMax: 0 }

describe('a source whose gaps are repaired', () => {
  for (const [how, restating, expectTold] of [
    ['at their places', deep, expectRestated],
    ['late', never, expectLate],
  ] as const) {
    const isLate = how === 'late'
    it(`tells all trades, whichever of them it lost: those lost ${how}, and each once`, () =>
      fc.assert(
        fc.asyncProperty(losses, fc.boolean(), async (loss, hasIndexes) => {
          const { tape, lost: drawnLost } = drawn(loss)
          const lost = isLate ? drawnLost : behindFirstSlot(tape, drawnLost)
          // If all trades are lost, nothing shows that there is a curve.
          fc.pre(lost.length < eventsOf(tape).length)
          const node = nodeOf(tape, hasIndexes)
          expectTold(tape, lost, await runRecorded({ tape, lost: new Set(lost), node, restating }))
        }),
        { numRuns: 10 },
      ))

    it(`repairs what was found before a restart, and what was lost around it: ${how}`, () =>
      fc.assert(
        fc.asyncProperty(losses, fc.array(fc.nat(30), { minLength: 1, maxLength: 3 }), async (loss, stopsAfter) => {
          const { tape, lost } = drawn(loss)
          // After a restart, a curve is known only if one of its trades is read again. So the tape must be
          // short.
          const slots = tape.transactions.map(({ slot }) => slot)
          fc.pre((slots.at(-1) ?? 0) - (slots[0] ?? 0) < 2_000)
          const others = behindFirstSlot(tape, lost)
          expectTold(tape, others, await runRecorded({ tape, lost: new Set(others), stopsAfter, restating }))
        }),
        { numRuns: 6 },
      ))
  }

  it('finds the last trade of each mint by the curve’s account', async () => {
    for (const whole of tapes) {
      const tape = stretchOf(whole, 1, count)
      const lost = idsOf(tape).slice(-1)
      expectRestated(tape, lost, await runRecorded({ tape, lost: new Set(lost), restating: deep }))
      const facts = await runRecorded({ tape, lost: new Set(lost), restating: never })
      expectLate(tape, lost, facts)
      const { txHash, logIndex } = tradeOf(eventsOf(tape).at(-2)!)
      expect(repairsIn(facts)).to.have.lengthOf(1)
      expect(repairsIn(facts)[0]).to.deep.include({
        ...{ gapTxHash: null, gapLogIndex: null, lateCount: 1, isWhole: true, failure: null },
        ...{ txHash, logIndex },
      })
    }
  })

  it('finds nothing where nothing was lost', async () => {
    const tape = stretchOf(tapeOf(0), 0.5, count)
    const facts = await runRecorded({ tape, lost: new Set() })
    expect(facts).to.have.lengthOf(eventsOf(tape).length)
    expectWhole(tape, [], facts)
  })

  it('repairs again what a reorg took back', async () => {
    const tape = stretchOf(tapeOf(1), 0.3, count)
    const lost = idsOf(tape).slice(10, 13)
    // The number of slots between a loss and its repair depends on the machine. So each limit is either far
    // too high or 0.
    expectRestated(tape, lost, await runRecorded({ tape, lost: new Set(lost), isTakenBack: true, restating: deep }))
    const late = await runRecorded({ tape, lost: new Set(lost), isTakenBack: true, restating: never })
    expectLate(tape, lost, late)
  })
})
