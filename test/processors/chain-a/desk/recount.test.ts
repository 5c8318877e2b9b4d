/** Compares the trades that the desk of chain A simulates with an independent recount from the facts. */
import { expect } from 'chai'
import { createTestDriver, type TestDriver } from '../../../../processors/runtime/test-driver.ts'
import type { TokenOutput } from '../../../../processors/runtime/token-entry.ts'
import { chainA, createChainA } from '../../../../processors/stages.ts'
import type { ChainADerived } from '../../../../schemas/chain-a/derived.ts'
import { type ChainAAnswer, type ChainAFact, isAnswer } from '../../../../schemas/chain-a/facts.ts'
import type { ChainATypes } from '../../../../schemas/chain-a/stage.ts'
import { defaultRules, type Rules } from '../../../../schemas/rules.ts'
import type { KeyedRecord } from '../../../replay/keyed-record.ts'
import { createDraw } from '../../../replay/market/draw.ts'
import { marketFacts } from '../../../replay/market/market-facts.ts'
import { everyMs, recut } from '../../../replay/recut.ts'
import { second } from '../../../support/builders/build-facts.ts'
import { buildMention } from '../../../support/builders/build-mentions.ts'
import { storyOf } from '../../../support/oracle/desk/chain-a.ts'
import { type Learned, type Position, shadowsOf, tradesOf, twinsOf } from '../../../support/oracle/desk/desk.ts'
import { bends, ruleLeaves } from '../../../support/rules/rule-leaves.ts'

type Records = readonly KeyedRecord<ChainATypes>[]
type Output = TokenOutput<ChainADerived>

/** Adds four posts about each token. They become known `delayTicks` ticks after they were written. */
function withCalls(records: Records, seed: number, delayTicks = 0): Records {
  const draw = createDraw(seed)
  const tokens = [...new Set(records.flatMap(({ record, key }) => (record.type === 'PoolCreated' ? [key] : [])))]
  const posts = tokens.flatMap((token) =>
    Array.from({ length: 4 }, (_, index) => {
      const postedAtMs = second(600 + draw(900) + 300 * index)
      return {
        token,
        atMs: postedAtMs,
        mention: buildMention({ chat: `${draw(3)}`, postedAtMs, seenAtMs: postedAtMs }),
      }
    }),
  )
  posts.sort((left, right) => left.atMs - right.atMs)
  const waiting: { ticks: number; keyed: Records[number] }[] = []
  return records.flatMap((keyed) => {
    if (keyed.record.type !== 'Tick') return [keyed]
    const { blockAtMs } = keyed.record.data
    while (posts[0] !== undefined && posts[0].atMs < blockAtMs) {
      const { token, mention } = posts.shift() as (typeof posts)[number]
      waiting.push({ ticks: delayTicks, keyed: { key: token, record: mention } })
    }
    const known = waiting.filter(({ ticks }) => ticks <= 0).map((one) => one.keyed)
    waiting.splice(0, waiting.length, ...waiting.filter(({ ticks }) => ticks > 0))
    for (const one of waiting) one.ticks--
    return [...known, keyed]
  })
}

function run(
  records: Records,
  between: (driver: TestDriver<ChainATypes>, tick: number) => void = () => {},
  runnable = chainA,
): Output[] {
  const driver = createTestDriver(runnable)
  let ticks = 0
  for (const { key, record } of records)
    if (record.type === 'Tick') {
      driver.tick(record.data.blockAtMs, record.data)
      between(driver, ++ticks)
    } else if (isAnswer(record)) driver.answer(key, record)
    else driver.fact(key, record)
  return [...driver.outputs()]
}

type Told = Readonly<{ key: string; record: ChainAFact | ChainAAnswer; learned: Learned }>

/** Returns each record with the tick that closes its block. */
function learnedIn(records: Records): readonly Told[] {
  const told: Told[] = []
  const open: Omit<Told, 'learned'>[] = []
  for (const { key, record } of records) {
    if (record.type !== 'Tick') open.push({ key, record })
    else for (const one of open.splice(0)) told.push({ ...one, learned: record.data })
  }
  return told
}

/**
 * Moves `knownAtMs` of each tick to `lateMs` after its block, but never before the `knownAtMs` of the last
 * tick.
 */
function knownLate(records: Records, lateMs: (seq: number) => number): Records {
  let knownAtMs = 0
  return records.map(({ key, record }) => {
    if (record.type !== 'Tick') return { key, record }
    knownAtMs = Math.max(knownAtMs, record.data.blockAtMs + lateMs(record.data.seq))
    return { key, record: { ...record, data: { ...record.data, knownAtMs } } }
  })
}

const isDesk = ({ record }: Output) => record.type.startsWith('Desk')
const linesOf = (outputs: readonly Output[]) =>
  outputs.filter(isDesk).map(({ token, record }) => JSON.stringify([token, record.type, record.data]))

/**
 * These strategies and comparison positions of the desk exist only for tokens on curves. This test data has
 * only pools.
 */
const ofCurves = /^chainB\.desk\.lanes\.(2\.|0\.twins)/

const isOfDesk = (path: string): boolean =>
  (/^desk\./.test(path) && !/twinsMax|twinWithinMs/.test(path)) || /^chainA\.desk\./.test(path)

describe('the desk of chain A over a market', () => {
  const exits = new Set<string>()
  after(() => expect([...exits]).to.include.members(['rug', 'stop', 'take_profit', 'time', 'trail']))

  const cuts: readonly (readonly [string, (records: Records) => Records])[] = [
    ['as they are', (records) => records],
    ['of ten seconds', (records) => recut(records, everyMs(10_000))],
    ['of a minute', (records) => recut(records, everyMs(60_000))],
    ['of five minutes, in which some signals are known too late', (records) => recut(records, everyMs(300_000))],
    ['that are known late, some of them too late', (records) => knownLate(records, (seq) => (seq * 7919) % 150_000)],
    ['that are known before their blocks', (records) => knownLate(records, (seq) => -((seq * 7919) % 9_000))],
  ]
  for (const [name, cut] of cuts)
    for (const seed of [1, 2, 3])
      it(`trades, twins and shadows as counted again from the facts (market ${seed}, ticks ${name})`, () =>
        compare(cut(withCalls(marketFacts(seed), seed))))

  for (const delayTicks of [1, 3])
    it(`does the same with calls that become known ${delayTicks} ticks later`, () =>
      compare(withCalls(marketFacts(7), 7, delayTicks)))

  function compare(records: Records, { chainA: own, desk: numbers }: Rules = defaultRules): void {
    const outputs = run(records, () => {}, createChainA({ ...defaultRules, chainA: own, desk: numbers }))
    const told = learnedIn(records)
    const endMs = Math.max(...records.flatMap(({ record }) => (record.type === 'Tick' ? [record.data.blockAtMs] : [])))
    const tokens = new Set(told.flatMap(({ record, key }) => (record.type === 'PoolCreated' ? [key] : [])))
    for (const token of tokens) {
      const of = outputs.filter((output) => output.token === token).map(({ record }) => record)
      const ofToken = told.filter(({ key }) => key === token)
      const learnedOf = (atMs: number) => {
        const found = ofToken.find(({ record }) => !isAnswer(record) && record.data.blockAtMs === atMs)
        return found?.learned ?? expect.fail(`nothing of ${token} at ${atMs}`)
      }
      const story = storyOf({
        ...{ token, endMs, learnedOf, numbers, desk: own.desk },
        facts: ofToken.flatMap(({ record }) => (isAnswer(record) ? [] : [record])),
        bursts: of.flatMap((record) => (record.type === 'Burst' ? [record.data] : [])),
        posts: ofToken.flatMap(({ record, learned }) =>
          record.type === 'Mentioned' ? [{ atMs: record.data.answeredAtMs, chat: record.data.chat, learned }] : [],
        ),
        // A pool stays open for 48 h 15 min after the last call, so it never closes in this test.
        closedAtMs: null,
      })
      const trades = of.flatMap((record) => (record.type === 'DeskTrade' ? [record.data] : []))
      const twins = of.flatMap((record) =>
        record.type === 'DeskTwin' ? [{ ...record.data, book: null, signalAtMs: null }] : [],
      )
      const shadows = of.flatMap((record) => (record.type === 'DeskShadow' ? [record.data] : []))
      for (const { exit } of [...trades, ...twins]) exits.add(exit)
      expect(positions(trades), `trades of ${token}`).to.deep.equal(positions(tradesOf(story)))
      expect(positions(twins), `twins of ${token}`).to.deep.equal(positions(twinsOf(story)))
      const shown = shadows.map(({ signal, signalAtMs, anchorAtMs, ret1, ret5, ret15, ret60, mfe, mae }) => ({
        ...{ signal, signalAtMs, anchorAtMs, returns: [ret1, ret5, ret15, ret60], mfe, mae },
      }))
      expect(sorted(shown), `shadows of ${token}`).to.deep.equal(sorted(shadowsOf(story)))
      expect(trades.length, 'opened and closed').to.equal(of.filter(({ type }) => type === 'DeskOpened').length)
    }
  }

  describe('under other rules', () => {
    // Some signals become known late, and a part of them becomes known too late.
    const markets = [2, 1].map((seed) =>
      knownLate(withCalls(marketFacts(seed), seed), (tick) => (tick * 7919) % 150_000),
    )
    /** With `chain B`, the desk of chain A uses the strategies of chain B on the pools of this test data. */
    const lanesOf = ({ chainA: own, chainB, ...rules }: Rules, chain: 'chain A' | 'chain B'): Rules => ({
      ...{ ...rules, chainB },
      chainA: chain === 'chain A' ? own : { ...own, desk: chainB.desk },
    })
    const saidOf = (records: Records, rules: Rules): string =>
      linesOf(run(records, () => {}, createChainA(rules))).join('\n')

    for (const [chain, isOf] of [
      ['chain A', isOfDesk],
      ['chain B', (path: string) => /^chainB\.desk\./.test(path)],
    ] as const) {
      const standard = markets.map((records) => ({ records, said: saidOf(records, lanesOf(defaultRules, chain)) }))
      const leaves = ruleLeaves.filter(({ path }) => isOf(path) && !ofCurves.test(path))
      for (const leaf of leaves)
        it(`is as counted again by them: ${leaf.path}`, () => {
          const bent = bends(leaf).map((rules) => lanesOf(rules, chain))
          const tried = bent.flatMap((rules) => standard.map((market) => ({ ...market, rules })))
          const shown = tried.find(({ records, said, rules }) => saidOf(records, rules) !== said)
          if (shown === undefined) expect.fail('no other value shows in these markets')
          compare(shown.records, shown.rules)
        })
    }
  })

  it('says the same after restarts at any tick', () => {
    const records = withCalls(marketFacts(6), 6)
    const expected = linesOf(run(records))
    expect(expected.length).to.be.greaterThan(50)
    expect(linesOf(run(records, (driver, tick) => tick % 7 === 0 && driver.restart()))).to.deep.equal(expected)
  })

  it('fills nothing in the past, whatever the ticks', () => {
    for (const [, cut] of cuts) {
      const records = cut(withCalls(marketFacts(5), 5))
      const opened: number[] = []
      run(records, (driver) => {
        const { length } = driver.outputs()
        opened.push(length)
      })
      const ticks = records.flatMap(({ record }) => (record.type === 'Tick' ? [record.data] : []))
      const outputs = run(records)
      for (const [index, { record }] of outputs.entries()) {
        if (record.type !== 'DeskOpened') continue
        const before = ticks[opened.findIndex((length) => length > index) - 1]
        expect(record.data.openedAtMs).to.be.at.least(before?.blockAtMs ?? 0)
      }
    }
  })
})

const sorted = <Item>(items: readonly Item[]) => [...items].map((item) => JSON.stringify(item)).sort()

const positions = (list: readonly Position[]) =>
  sorted(
    list.map(({ lane, book, signalAtMs, openedAtMs, closedAtMs, ret, peakRet, exit }) => ({
      ...{ lane, book, signalAtMs, openedAtMs, closedAtMs, ret, peakRet, exit },
    })),
  )
