/**
 * Gives the events of a token to the market processor and to an independent recount. Expects the same answers
 * from both after each event.
 */
import { expect } from 'chai'
import { type Markets, noMarkets } from '../../../processors/markets/markets.ts'
import type { Move } from '../../../processors/markets/move.ts'
import type { Processor, StageProcessor } from '../../../processors/processor.ts'
import { createTestDriver } from '../../../processors/runtime/test-driver.ts'
import type { Mentioned } from '../../../schemas/calls/facts.ts'
import type { Stage, StageTypes } from '../../../schemas/stage.ts'
import type { MarketId } from '../../../schemas/units.ts'
import { second } from '../../support/builders/build-facts.ts'
import { alignDoubles } from '../../support/oracle/align-doubles.ts'
import { isOpen, type Line, minuteMs, rememberedUntilMs, secondMs, secondOf } from '../../support/oracle/calls/lines.ts'
import { callRules } from '../../support/oracle/calls/rules.ts'
import { keptMarkets } from '../../support/oracle/calls/watch.ts'
import { countedOf, saidOf } from './compared-markets.ts'
import { countedMoves, saidMoves } from './compared-moves.ts'

type Event<Types extends StageTypes> = Types['fact'] | Types['answer']

/**
 * A test case for one token.
 * - `askedAtSec`: more times at which the processor and the recount are compared.
 * - `isAskedOften`: if false, they are compared only at `askedAtSec`, and when everything is forgotten.
 * - `oldAtSec`: old times about which they are asked as long as a market is remembered.
 */
export type Life<Types extends StageTypes> = Readonly<{
  events: readonly Event<Types>[]
  askedAtSec?: readonly number[]
  isAskedOften?: boolean
  oldAtSec?: readonly number[]
}>

/** `markets` is the processor under test. `before` has the processors that open and close the markets. */
export type Chain<Types extends StageTypes> = Readonly<{
  stage: Stage<Types>
  before: readonly StageProcessor<Types>[]
  markets: StageProcessor<Types>
  token: string
  linesOf(facts: readonly Types['fact'][]): readonly Line[]
  /** Returns the curve that the fact completes, or null. */
  completedBy(fact: Types['fact'], lines: readonly Line[]): string | null
}>

const atMsOf = ({ data }: Event<StageTypes>): number => {
  const { answeredAtMs, blockAtMs } = data as Readonly<{ answeredAtMs?: number; blockAtMs: number }>
  return answeredAtMs ?? blockAtMs
}

/** A time span in which everything ends that an event can begin, in milliseconds. */
const forgottenAfterMs = 10 * 24 * 60 * minuteMs

type Told = { readonly moves: Move[]; markets: Markets; isEmpty(): boolean }

/** Records the moves and the state of the market processor, and what later processors read from it. */
function createProbe<Types extends StageTypes>(fold: StageProcessor<Types>) {
  const told: Told = { moves: [], markets: noMarkets(), isEmpty: () => true }
  const watched: StageProcessor<Types> = {
    ...fold,
    markets(state) {
      told.isEmpty = () => fold.isEmpty(state)
      return fold.markets?.(state) ?? noMarkets()
    },
  }
  const probe: Processor<null, Types> = {
    name: 'probe',
    initialState: () => null,
    reads: [],
    readsDerived: [],
    onMove(_, move, context) {
      told.moves.push(move)
      told.markets = context.markets
    },
    onAnswer(_, __, context) {
      told.markets = context.markets
    },
    isEmpty: () => true,
  }
  return { processors: [watched, probe] as readonly StageProcessor<Types>[], told }
}

export function expectSame<Types extends StageTypes>(chain: Chain<Types>, life: Life<Types>): void {
  const { events } = life
  const { stage, before, markets, token } = chain
  const { processors, told } = createProbe<Types>(markets)
  const driver = createTestDriver<Types>({ stage, processors: [...before, ...processors] as never })
  let next = 0
  for (const nowMs of askedAtMsOf(life)) {
    for (let event = events[next]; event !== undefined && atMsOf(event) < nowMs; event = events[++next])
      if (stage.isAnswer(event)) driver.answer(token, event)
      else driver.fact(token, event)
    driver.tick(nowMs)
    compare(chain, told, { ...life, events: events.slice(0, next), nowMs })
  }
  expect(next).to.equal(events.length)
  expect(driver.counts(), 'what is left of it').to.deep.equal({ tokens: 0, timers: 0 })
}

function askedAtMsOf<Types extends StageTypes>(life: Life<Types>): ReadonlySet<number> {
  const { events, askedAtSec = [], isAskedOften = true } = life
  const often = isAskedOften ? events.map((event) => secondOf(atMsOf(event) + 1) + secondMs) : []
  const lastMs = Math.max(...events.map(atMsOf)) + forgottenAfterMs
  return new Set([...often, ...askedAtSec.map(second), lastMs].sort((one, other) => one - other))
}

type Now<Types extends StageTypes> = Life<Types> & Readonly<{ nowMs: number }>

function compare<Types extends StageTypes>(chain: Chain<Types>, told: Told, now: Now<Types>): void {
  const { events, nowMs } = now
  const facts = events.filter((event): event is Types['fact'] => !chain.stage.isAnswer(event))
  const lines = chain.linesOf(facts)
  const posts = events.flatMap(({ type, data }) =>
    type === 'Mentioned' ? [{ mention: data as Mentioned, knownIn: 0 }] : [],
  )
  const markets = keptMarkets({ lines, posts, rules: callRules })
  const postedAtMs = posts.map(({ mention }) => mention.postedAtMs)
  const remembered = lines.filter((line) => rememberedUntilMs(markets, line) > nowMs)
  const asked = {
    nowMs,
    instants: instantsOf(told, now),
    oldInstants: (now.oldAtSec ?? []).map(second).filter((atMs) => atMs <= nowMs && remembered.length > 0),
    calledAtMs: [nowMs, ...postedAtMs.filter((atMs) => atMs >= nowMs - lateMsMax)],
    names: remembered.map(({ market }) => market as MarketId),
  }
  expectEqual(saidOf(told.markets, asked), countedOf(markets, asked), nowMs)
  for (const line of lines) {
    const completing = facts.find((fact) => chain.completedBy(fact, lines) === line.market)
    const completedAtMs = completing === undefined ? null : atMsOf(completing)
    const counted = countedMoves(markets, line, { completedAtMs, nowMs })
    expectEqual(saidMoves(told.moves, line.market), counted, nowMs)
  }
  if (lines.some((line) => isOpen(markets, line, nowMs))) expect(told.isEmpty(), 'is empty').to.equal(false)
}

function expectEqual(said: unknown, counted: unknown, nowMs: number): void {
  expect(alignDoubles(said, counted), `at ${(nowMs - second(0)) / secondMs} s`).to.deep.equal(counted)
}

const memoryMs = 75 * minuteMs

/** How long ingest waits for posts that become known late. */
const lateMsMax = 15 * minuteMs

/** Returns the times around each event and each end of a market. */
function instantsOf<Types extends StageTypes>({ moves }: Told, { events, nowMs }: Now<Types>): readonly number[] {
  const ends = moves.flatMap((move) => (move.type === 'closed' ? [move.atMs] : []))
  const around = [...events.map(atMsOf), ...ends].flatMap((atMs) => [secondOf(atMs) - secondMs, secondOf(atMs)])
  return [...new Set([...around, nowMs])]
    .filter((atMs) => atMs <= nowMs && atMs >= nowMs - memoryMs)
    .sort((one, other) => one - other)
}
