import { expect } from 'chai'
import fc from 'fast-check'
import { curves } from '../../../processors/chain-a/curves/processor.ts'
import { markets as chainAMarkets } from '../../../processors/chain-a/markets/processor.ts'
import { pools } from '../../../processors/chain-a/pools/processor.ts'
import { markets as chainBMarkets } from '../../../processors/chain-b/markets/processor.ts'
import { mints } from '../../../processors/chain-b/mints/processor.ts'
import type { Markets } from '../../../processors/markets/markets.ts'
import type { Move } from '../../../processors/markets/move.ts'
import type { Processor, StageProcessor } from '../../../processors/processor.ts'
import { createTestDriver } from '../../../processors/runtime/test-driver.ts'
import { priceMemoryMs } from '../../../schemas/calls/retention.ts'
import type { ChainAAnswer, ChainAFact } from '../../../schemas/chain-a/facts.ts'
import { poolLifeMs } from '../../../schemas/chain-a/pool-life.ts'
import { type ChainATypes, chainAStage } from '../../../schemas/chain-a/stage.ts'
import type { ChainBAnswer, ChainBFact } from '../../../schemas/chain-b/facts.ts'
import { curveLifeMs, graduatedLifeMs } from '../../../schemas/chain-b/mint-life.ts'
import { type ChainBTypes, chainBStage } from '../../../schemas/chain-b/stage.ts'
import type { Stage, StageTypes } from '../../../schemas/stage.ts'
import type { Hex } from '../../../schemas/units.ts'
import {
  buildCurveCompleted,
  buildCurveGraduated,
  buildCurveLaunched,
  buildCurveTraded,
  testCurve,
} from '../../support/builders/build-curves.ts'
import {
  buildHash,
  buildPoolCreated,
  buildSwap,
  second,
  testPool,
  testToken,
} from '../../support/builders/build-facts.ts'
import { buildMention } from '../../support/builders/build-mentions.ts'
import { changeByContract } from '../../support/builders/build-positions.ts'
import * as onB from '../../support/chain-b/build-facts.ts'

const hour = 3600
const full = 10n ** 21n
const otherPool = buildHash(0xb1)

type Told = Readonly<{ moves: readonly Move[]; markets: Markets }>

/** Creates a processor that records each move of the markets, and a copy of the markets at the last move. */
function createRecorder<Types extends StageTypes>(copyOf: (markets: Markets) => Markets) {
  const told = { moves: [] as Move[], markets: null as Markets | null }
  const recorder: Processor<null, Types> = {
    name: 'recorder',
    initialState: () => null,
    reads: [],
    readsDerived: [],
    onMove(_, move, context) {
      told.moves.push(move)
      told.markets = copyOf(context.markets)
    },
    isEmpty: () => true,
  }
  return { recorder, told }
}

type Event<Types extends StageTypes> = Readonly<{ atMs: number; event: Types['fact'] | Types['answer'] }>
type Setting<Types extends StageTypes> = Readonly<{
  stage: Stage<Types>
  processors: readonly StageProcessor<Types>[]
  token: string
}>

type Playing = Readonly<{
  untilMs?: number
  isTickAt?: (index: number) => boolean
  isRestartAt?: (index: number) => boolean
  copyOf?: (markets: Markets) => Markets
}>
const always = () => true
const never = () => false

/** Plays the events. There is a tick after each time for which `isTickAt` is true, and one tick at the end. */
function play<Types extends StageTypes>(
  { stage, processors, token }: Setting<Types>,
  events: readonly Event<Types>[],
  { untilMs = 0, isTickAt = always, isRestartAt = never, copyOf = structuredClone }: Playing = {},
): Told & Readonly<{ counts: Readonly<{ tokens: number; timers: number }> }> {
  const { recorder, told } = createRecorder<Types>(copyOf)
  const driver = createTestDriver<Types>({ stage, processors: [...processors, recorder] as never })
  for (const [index, { atMs, event }] of events.entries()) {
    if (stage.isAnswer(event)) driver.answer(token, event)
    else driver.fact(token, event)
    if (events[index + 1]?.atMs === atMs || !isTickAt(index)) continue
    driver.tick(atMs)
    if (isRestartAt(index)) driver.restart()
  }
  driver.tick(Math.max(untilMs, events.at(-1)?.atMs ?? 0) + 1)
  return { moves: told.moves, markets: told.markets as Markets, counts: driver.counts() }
}

const chainA: Setting<ChainATypes> = {
  stage: chainAStage,
  processors: [pools, curves, chainAMarkets],
  token: testToken,
}
const chainB: Setting<ChainBTypes> = { stage: chainBStage, processors: [mints, chainBMarkets], token: onB.testMint }

const known = (event: ChainAFact | ChainAAnswer): Event<ChainATypes> => ({
  atMs: 'blockAtMs' in event.data ? event.data.blockAtMs : event.data.answeredAtMs,
  event,
})
const onA = (events: readonly (ChainAFact | ChainAAnswer)[], untilSec = 0) =>
  play(chainA, events.map(known), { untilMs: second(untilSec) })
const playB = (events: readonly (ChainBFact | ChainBAnswer)[], untilMs = 0) =>
  play(
    chainB,
    events.map((event) => ({
      atMs: 'blockAtMs' in event.data ? event.data.blockAtMs : event.data.answeredAtMs,
      event,
    })),
    { untilMs },
  )

const secOf = (atMs: number) => (atMs - second(0)) / 1000

/** `liquidity 0.5 0.5 @10`: ratio, left, second. */
const wordsOf = (move: Move): string => {
  const at = `@${secOf(move.atMs)}`
  if (move.type === 'price') return `price ${at}`
  if (move.type === 'liquidity') return `liquidity ${round(move.ratio)} ${round(move.left)} ${at}`
  return move.type === 'closed' ? `closed ${at}${move.next === null ? '' : ' goes on'}` : `${move.type} ${at}`
}
const round = (value: number) => Number(value.toFixed(6))

const opened = buildPoolCreated({ blockAtMs: second(0) })
const change = (atSec: number, perMille: number, fields: Readonly<{ txHash?: Hex; pool?: Hex }> = {}) =>
  changeByContract({ blockAtMs: second(atSec), ...fields }, (full * BigInt(perMille)) / 1000n)
const swap = (atSec: number, px: number, fields: Parameters<typeof buildSwap>[0] = {}) =>
  buildSwap({ blockAtMs: second(atSec), px: px * 1e-9, ...fields })
const call = (atSec: number, knownSec = atSec) =>
  buildMention({ postedAtMs: second(atSec), seenAtMs: second(knownSec), answeredAtMs: second(knownSec) })

describe('the moves of a pool', () => {
  it('are its prices in the order of the facts that set them, the opening one first', () => {
    const facts = [opened, swap(5, 2), swap(5, 3), swap(9, 2)]
    const { moves, markets } = onA(facts)
    expect(moves.map(wordsOf)).to.deep.equal(['price @0', 'price @5', 'price @5', 'price @9'])
    expect(moves.map((move) => move.type === 'price' && round(move.px * 1e27))).to.deep.equal([1, 2, 3, 2])
    expect(moves.map((move) => move.type === 'price' && move.fact)).to.deep.equal(facts)
    expect(markets.lines.map(({ market, movedAtMs }) => [market, movedAtMs])).to.deep.equal([[testPool, second(9)]])
  })

  it('are none of swaps that do not count, or in a pool that is not known', () => {
    const moves = onA([opened, swap(5, 2, { ethWei: 0n }), swap(6, 2, { pool: otherPool })]).moves
    expect(moves.map(wordsOf)).to.deep.equal(['price @0'])
  })

  const tx = buildHash(0x7a)
  const first = change(1, 1000)
  const cases: readonly (readonly [string, readonly ChainAFact[], readonly string[]])[] = [
    ['is nothing that is measured where there was none before', [first], ['liquidity 1 1 @1']],
    ['is half of it where half is taken out', [first, change(5, -500)], ['liquidity 0.5 0.5 @5']],
    [
      'is multiplied with what was left',
      [first, change(5, -500), change(6, -250), change(7, 750)],
      ['liquidity 0.5 0.5 @5', 'liquidity 0.5 0.25 @6', 'liquidity 4 1 @7'],
    ],
    [
      'is judged once for a transaction of several changes',
      [first, change(5, -300, { txHash: tx }), change(5, -200, { txHash: tx })],
      ['liquidity 0.5 0.5 @5'],
    ],
    [
      'is the same where a transaction takes out and puts back',
      [first, change(5, -1000, { txHash: tx }), change(5, 1000, { txHash: tx })],
      ['liquidity 1 1 @5'],
    ],
    [
      'is judged for each of two transactions of one block',
      [first, change(5, -900), change(5, 900)],
      ['liquidity 0.1 0.1 @5', 'liquidity 10 1 @5'],
    ],
    ['is nothing where all is taken out', [first, change(5, -1000)], ['liquidity 0 0 @5']],
    [
      'begins anew where an empty pool is refilled',
      [first, change(5, -500), change(6, -500), change(7, 100), change(8, -50)],
      ['liquidity 0.5 0.5 @5', 'liquidity 0 0 @6', 'liquidity 1 1 @7', 'liquidity 0.5 0.5 @8'],
    ],
    ['is not touched by a poke', [first, change(5, 0)], []],
  ]
  for (const [name, facts, expected] of cases)
    it(`tell of the liquidity: it ${name}`, () => {
      const moves = onA([opened, ...facts], 20).moves.map(wordsOf)
      const all = moves.filter((words) => words.startsWith('liquidity'))
      expect(facts.length === 1 ? all : all.slice(1)).to.deep.equal(expected)
    })

  it('tell of a transaction behind its last fact, when the next one or the end of the block shows it', () => {
    const facts = [opened, first, change(5, -500, { txHash: tx }), swap(5, 2, { txHash: tx }), swap(5, 3)]
    expect(onA(facts).moves.map(wordsOf).slice(2)).to.deep.equal(['price @5', 'liquidity 0.5 0.5 @5', 'price @5'])
  })

  it('have ratios at the price before the first change of the transaction', () => {
    const narrow = changeByContract({ blockAtMs: second(2), tickLower: 207_000, tickUpper: 207_600 }, 100n * full)
    const before = [opened, first, narrow]
    const ratioOf = (...facts: readonly ChainAFact[]) =>
      onA([...before, ...facts]).moves.flatMap((move) => (move.type === 'liquidity' ? [move.ratio] : []))[2]
    const dumped = [change(5, -10, { txHash: tx }), swap(5, 0.5, { txHash: tx }), change(5, -490, { txHash: tx })]
    const still = [change(5, -10, { txHash: tx }), change(5, -490, { txHash: tx })]
    expect(ratioOf(...dumped)).to.equal(ratioOf(...still))
    expect(ratioOf(...dumped)).to.be.within(0.5, 1)
  })

  it('are forgotten 25 h 30 min after its creation, and the pool with them', () => {
    const { moves, markets, counts } = onA([opened, swap(5, 2)], 33 * hour)
    expect(moves.map(wordsOf).at(-1)).to.equal(`closed @${poolLifeMs / 1000}`)
    expect(markets.lines[0]).to.include({ closedAtMs: second(0) + poolLifeMs, next: null })
    expect(counts).to.deep.equal({ tokens: 0, timers: 0 })
  })
})

describe('the moves of a curve of chain A', () => {
  const launched = buildCurveLaunched({ blockAtMs: second(0) })
  const completed = buildCurveCompleted({ blockAtMs: second(8) })
  const created = buildPoolCreated({ blockAtMs: second(9) })
  const graduated = buildCurveGraduated({ blockAtMs: second(9) })

  it('end where it is complete, and go on in its pool when it graduates', () => {
    const { moves, markets } = onA([
      launched,
      buildCurveTraded({ blockAtMs: second(5) }),
      completed,
      created,
      graduated,
    ])
    expect(moves.map(wordsOf)).to.deep.equal([
      ...['price @0', 'price @5', 'graduated @8', 'price @9', 'closed @9 goes on'],
    ])
    expect(moves.at(-1)).to.include({ market: testCurve, next: testPool })
    expect(markets.lines[0]).to.include({ endedAtMs: second(8), closedAtMs: second(9), next: testPool })
  })

  it('tell once that it is complete, by whichever fact', () => {
    const moves = onA([launched, created, graduated]).moves.map(wordsOf)
    expect(moves.filter((words) => words.startsWith('graduated'))).to.deep.equal(['graduated @9'])
  })

  it('end with nothing in its place where it is idle for long', () => {
    const { moves } = onA([launched], 8 * 24 * hour)
    expect(moves.map(wordsOf)).to.deep.equal(['price @0', `closed @${7 * 24 * hour}`])
  })
})

describe('a market of a called token', () => {
  const lifeSec = poolLifeMs / 1000
  const closedAt = (postedSec: number, knownSec = postedSec) => {
    const closed = onA([opened, call(postedSec, knownSec)], 80 * hour).moves.filter(({ type }) => type === 'closed')
    expect(closed).to.have.lengthOf(1)
    return secOf(closed[0]?.atMs ?? 0)
  }
  const keptSec = 48.25 * hour

  it('is closed at the end of the watch, if the call became known half an hour before it is forgotten', () => {
    expect(closedAt(10)).to.equal(10 + keptSec)
    expect(closedAt(lifeSec - 1800)).to.equal(lifeSec - 1800 + keptSec)
    expect(closedAt(lifeSec - 3600, lifeSec - 1800)).to.equal(lifeSec - 3600 + keptSec)
  })

  it('is not kept by a call that became known later, or after it', () => {
    expect(closedAt(lifeSec - 1799)).to.equal(lifeSec)
    expect(closedAt(lifeSec - 3600, lifeSec - 1799)).to.equal(lifeSec)
    expect(closedAt(lifeSec + 10)).to.equal(lifeSec)
  })

  it('is not kept by a recall', () => {
    const recall = buildMention({ postedAtMs: second(10), kind: 'recall' })
    const { moves } = onA([opened, recall], 80 * hour)
    expect(moves.map(wordsOf).at(-1)).to.equal(`closed @${lifeSec}`)
  })

  it('is kept on by a second call in time, and told once', () => {
    const again = lifeSec + 10 * hour
    const { moves } = onA([opened, call(10), call(again)], 130 * hour)
    expect(moves.map(wordsOf)).to.deep.equal(['price @0', `closed @${again + keptSec}`])
  })

  it('moves on while it is kept', () => {
    const { moves } = onA([opened, call(10), swap(lifeSec + 50, 3), change(lifeSec + 60, 1000)], 80 * hour)
    expect(moves.map(wordsOf)).to.deep.equal([
      ...['price @0', `price @${lifeSec + 50}`, `liquidity 1 1 @${lifeSec + 60}`, `closed @${10 + keptSec}`],
    ])
  })

  it('is kept each by itself: a call may be too late for one and in time for the other', () => {
    const young = buildPoolCreated({ pool: otherPool, blockAtMs: second(lifeSec - 100) })
    const { moves } = onA([opened, young, call(lifeSec - 50)], 80 * hour)
    expect(moves.flatMap((move) => (move.type === 'closed' ? [[move.market, secOf(move.atMs)]] : []))).to.deep.equal([
      [testPool, lifeSec],
      [otherPool, lifeSec - 50 + keptSec],
    ])
  })

  it('leaves nothing behind', () => {
    expect(onA([opened, swap(9, 2), call(10)], 10 + keptSec + 3 * hour).counts).to.deep.equal({ tokens: 0, timers: 0 })
    expect(onA([opened, call(lifeSec + 9)], lifeSec + 60 * hour).counts).to.deep.equal({ tokens: 0, timers: 0 })
    expect(onA([call(10)], 60 * hour).counts).to.deep.equal({ tokens: 0, timers: 0 })
  })
})

describe('the markets of a mint of chain B', () => {
  const launched = onB.buildCurveLaunched({ blockAtMs: second(0) })
  const traded = onB.buildCurveTraded({ blockAtMs: second(5) })
  const completed = onB.buildCurveCompleted({ blockAtMs: second(8) })
  const migrated = onB.buildCurveMigrated({ blockAtMs: second(9) })
  const inPool = onB.buildPoolTraded({ blockAtMs: second(12) })
  const words = (...args: Parameters<typeof playB>) => playB(...args).moves.map(wordsOf)

  it('go on in the pool, and are closed 65 minutes after the curve was complete', () => {
    expect(words([launched, traded, completed, migrated, inPool], second(3 * hour))).to.deep.equal([
      ...['price @0', 'price @5', 'graduated @8', 'closed @9 goes on', 'price @9', 'price @12'],
      `closed @${8 + graduatedLifeMs / 1000}`,
    ])
  })

  it('are kept to the end of the watch by a call', () => {
    const { moves } = playB([launched, completed, migrated, call(10)], second(60 * hour))
    expect(moves.map(wordsOf).at(-1)).to.equal(`closed @${10 + 48.25 * hour}`)
    const late = 8 + graduatedLifeMs / 1000 - 1799
    expect(words([launched, completed, migrated, call(late)], second(60 * hour)).at(-1)).to.equal(
      `closed @${8 + graduatedLifeMs / 1000}`,
    )
  })

  it('are closed where the curve is idle for a day, called or not long ago', () => {
    expect(words([launched, traded], second(30 * hour)).at(-1)).to.equal(`closed @${5 + curveLifeMs / 1000}`)
    expect(words([launched, traded, call(10)], second(60 * hour)).at(-1)).to.equal(`closed @${10 + 48.25 * hour}`)
  })

  it('tell nothing of liquidity, and leave nothing behind', () => {
    const { moves, counts } = playB([launched, traded, completed, migrated, call(10)], second(52 * hour))
    expect(moves.filter(({ type }) => type === 'liquidity')).to.deep.equal([])
    expect(counts).to.deep.equal({ tokens: 0, timers: 0 })
  })
})

describe('the fold of markets', () => {
  type Step = Readonly<{ kind: number; waitSec: number; size: number; isTick: boolean; isRestart: boolean }>
  const step: fc.Arbitrary<Step> = fc.record({
    kind: fc.integer({ min: 0, max: 9 }),
    waitSec: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90 }), fc.integer({ min: 1, max: 9 * hour })),
    size: fc.integer({ min: 1, max: 1000 }),
    isTick: fc.boolean(),
    isRestart: fc.boolean(),
  })

  /**
   * Returns the change of liquidity, in thousandths. Kinds below 4 add liquidity. Other kinds remove it, and
   * a `size` above 800 removes all of it.
   */
  const perMilleOf = ({ kind, size }: Step, left: number): number => {
    if (kind < 4) return size
    return size > 800 ? -left : -Math.min(left, size)
  }

  /**
   * Builds the events of two pools that may be emptied, of a curve that may graduate, and of posts about the
   * token.
   */
  function eventsOf(steps: readonly Step[]): readonly Event<ChainATypes>[] {
    let atSec = 1
    const held = new Map<Hex, number>()
    const drawn = steps.map((each, index) => {
      const { kind, waitSec, size } = each
      atSec += waitSec
      const pool = kind % 2 === 0 ? testPool : otherPool
      const [blockAtMs, txHash] = [second(atSec), buildHash(0x9000 + Math.floor(index / 2))]
      const perMille = perMilleOf(each, held.get(pool) ?? 0)
      if (kind <= 5) held.set(pool, (held.get(pool) ?? 0) + perMille)
      const events: readonly (ChainAFact | ChainAAnswer)[] = [
        ...Array.from({ length: 6 }, () => change(atSec, perMille, { pool, txHash })),
        swap(atSec, 1 + size / 100, { pool, txHash }),
        size > 700 ? buildCurveGraduated({ blockAtMs }) : buildCurveTraded({ blockAtMs, eth: size / 1e4 }),
        buildPoolCreated({ pool: otherPool, blockAtMs }),
        call(atSec - (size % 30), atSec),
      ]
      return { atMs: blockAtMs, event: events[kind] as ChainAFact | ChainAAnswer }
    })
    return [known(buildCurveLaunched({ blockAtMs: second(0) })), known(opened), ...drawn]
  }

  it('tells the same whatever the ticks and restarts', () => {
    const types = new Set<string>()
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const events = eventsOf(steps)
        // A post about the token is handled at the end of its tick. So this tick must not be half an hour
        // later.
        const calledAtMs = new Set(events.flatMap(({ atMs, event }) => (event.type === 'Mentioned' ? [atMs] : [])))
        const mustTick = (index: number) => calledAtMs.has(events[index]?.atMs ?? 0)
        const untilMs = (events.at(-1)?.atMs ?? 0) + 80 * hour * 1000
        const { moves, markets } = play(chainA, events, { untilMs })
        for (const { type } of moves) types.add(type)
        const isTickAt = (index: number) => mustTick(index) || steps[index - 2]?.isTick === true
        const isRestartAt = (index: number) => steps[index - 2]?.isRestart === true
        for (const other of [{ isTickAt }, { isRestartAt }, { isTickAt, isRestartAt }]) {
          const again = play(chainA, events, { untilMs, ...other })
          expect(again.moves).to.deep.equal(moves)
          expect(again.markets).to.deep.equal(markets)
        }
      }),
      { numRuns: 150 },
    )
    expect([...types].sort()).to.deep.equal(['closed', 'graduated', 'liquidity', 'price'])
  })

  it('holds no more prices than 75 minutes need', () => {
    const seconds = Array.from({ length: 12_000 }, (_, index) => index + 1)
    const { markets } = play(chainA, [known(opened), ...seconds.map((sec) => known(swap(sec, 1 + (sec % 7))))], {
      isTickAt: (index) => index % 500 === 0,
      copyOf: (same) => same,
    })
    expect(markets.lines[0]?.prices.atMs.length).to.be.within(priceMemoryMs / 1000, 9100)
  })
})
