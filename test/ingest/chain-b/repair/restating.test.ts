import { expect } from 'chai'
import { pino } from 'pino'
import type { Repaired } from '../../../../ingest/chain-b/repair/late-facts.ts'
import { createRestating } from '../../../../ingest/chain-b/repair/restating.ts'
import type { MintFact } from '../../../../ingest/chain-b/types.ts'
import type { ChainBEvent } from '../../../../schemas/chain-b/facts.ts'
import { buildCurveMigrated } from '../../../support/chain-b/build-facts.ts'
import { hashOf, nameOf, stateOf, tradeOf } from './trade-texts.ts'

const key = 'a mint'
const head = { number: 1000, hash: hashOf('head'), atMs: 1_000_000 }
const startMs = 5_000_000

/** Returns a repair with one missing trade, which is named by its slot. */
function repairOf(slot: number, fields: Partial<Repaired> = {}, others: readonly ChainBEvent[] = []): Repaired {
  const trade = tradeOf(`${slot}${String.fromCharCode(97 + (slot % 10))}:10>20`)
  const found = [[trade, ...others]]
  const blocks = new Map([[slot, { number: slot, hash: trade.data.blockHash, atMs: trade.data.blockAtMs }]])
  const gap = {
    key,
    place: trade.data,
    isFollowed: true,
    fromSlot: slot - 1,
    toSlot: slot + 1,
    from: stateOf(10),
    to: stateOf(20),
  }
  return { gap, found, blocks, transactions: found, lateCount: 1, failure: null, ...fields }
}

/** Creates a log that begins with slot 890. It has a trade of another mint in each slot from 900 to 999. */
function restatingOf({ factCountMax = 1000 } = {}) {
  const facts = Array.from(
    { length: 100 },
    (_, index): MintFact => ({ key: 'another', fact: tradeOf(`${900 + index}x:0>1`) }),
  )
  const clock = { nowMs: startMs }
  const restating = createRestating({
    known: {
      blocksFrom: async () => [{ number: 890, hash: hashOf('first'), atMs: 0 }],
      factsFrom: async (slot) => facts.filter(({ fact }) => fact.data.blockNumber >= slot),
    },
    limits: { everyMs: 10_000, slotsMax: 200, factCountMax },
    nowMs: () => clock.nowMs,
    logger: pino({ level: 'silent' }),
  })
  return { restating, clock }
}

describe('a repair', () => {
  it('waits for a restatement if it is whole, and not older than the deepest reorg', () => {
    const { restating } = restatingOf()
    expect(restating.takes(repairOf(801), head)).to.equal(true)
    expect(restating.takes(repairOf(800), head), 'too old').to.equal(false)
    expect(restating.takes(repairOf(990, { failure: 'more is missing' }), head)).to.equal(false)
    expect(
      restating.takes(repairOf(990, {}, [buildCurveMigrated({ blockNumber: 990 })]), head),
      'its pool was not read',
    ).to.equal(false)
  })

  it('restates at most every ten seconds, also after a start', async () => {
    const { restating, clock } = restatingOf()
    const dueAfter = (ms: number) => {
      clock.nowMs += ms
      return restating.isDue()
    }
    expect([dueAfter(9_999), dueAfter(1)]).to.deep.equal([false, true])
    await restating.restate([repairOf(990)], head)
    expect([dueAfter(9_999), dueAfter(1)]).to.deep.equal([false, true])
  })

  it('tells the log again from the first slot of all, up to its head', async () => {
    const { restating } = restatingOf()
    const { range } = (await restating.restate([repairOf(995), repairOf(991)], head)) ?? expect.fail('nothing')
    expect(range).to.deep.include({ revertedFrom: 991, fromBlock: 991, head, newAddresses: [] })
    expect(range.facts.map(({ fact }) => nameOf(fact)).join('')).to.equal('xbxxxxfxxxx')
  })

  it('is late where the log begins, or where too many facts would be told again', async () => {
    const { restating } = restatingOf({ factCountMax: 20 })
    const [oldest, large, left] = [repairOf(890), repairOf(950), repairOf(985)]
    const { range } = (await restating.restate([oldest, large, left], head)) ?? expect.fail('nothing')
    expect(range.revertedFrom).to.equal(985)
    expect([oldest, large, left].map((each) => restating.takes(each, head))).to.deep.equal([false, false, true])
  })

  it('is late in the slot with which the log begins, and in no later slot', async () => {
    const { restating } = restatingOf()
    const [first, second] = [repairOf(890), repairOf(891)]
    expect(await restating.restate([first], head)).to.equal(null)
    expect((await restating.restate([second], head))?.range.revertedFrom).to.equal(891)
    expect([first, second].map((each) => restating.takes(each, head))).to.deep.equal([false, true])
  })

  it('is late with the fact that is one too many, and not without it', async () => {
    const isTakenWith = async (factCountMax: number) => {
      const { restating } = restatingOf({ factCountMax })
      const repaired = repairOf(980)
      await restating.restate([repaired], head)
      return restating.takes(repaired, head)
    }
    expect([await isTakenWith(19), await isTakenWith(20)]).to.deep.equal([false, true])
  })

  it('waits where the node has another block than the log: a reorg is under way', async () => {
    const { restating } = restatingOf()
    const block = { number: 990, hash: hashOf('other'), atMs: 1 }
    const repaired = repairOf(990, { blocks: new Map([[990, block]]) })
    expect(await restating.restate([repaired], head)).to.equal(null)
    expect(restating.takes(repaired, head)).to.equal(true)
  })

  it('counts a reorg as a restatement: stages fold from before it', () => {
    const { restating } = restatingOf()
    restating.reorged(850, head)
    const later = { ...head, number: 1049 }
    expect([
      restating.takes(repairOf(1000), later),
      restating.takes(repairOf(1000), { ...head, number: 1050 }),
    ]).to.deep.equal([true, false])
  })
})
