/**
 * Generates random trades of a mint over four days, posts about it, and answers to the stage's price lookups.
 */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { createTestDriver } from '../../../../processors/runtime/test-driver.ts'
import { chainB } from '../../../../processors/stages.ts'
import { type Mentioned, type PriceAnswered, tooOld } from '../../../../schemas/calls/facts.ts'
import type { ChainBDerived } from '../../../../schemas/chain-b/derived.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { second } from '../../../support/builders/build-facts.ts'
import { buildMention, buildPriceAnswer } from '../../../support/builders/build-mentions.ts'
import {
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildPoolTraded,
  lamports,
  testMint,
} from '../../../support/chain-b/build-facts.ts'

const hourSec = 3600
const minuteSec = 60
const lifeSec = 105 * hourSec

const gapSec = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 20 * minuteSec }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 20 * hourSec }) },
)
const tradeStep = fc.record({ gapSec, level: fc.integer({ min: 1, max: 99 }) })
const post = fc.record({
  atSec: fc.oneof(fc.integer({ min: 0, max: 6 * hourSec }), fc.integer({ min: 0, max: 100 * hourSec })),
  chat: fc.constantFrom('100', '200', '300'),
  post: fc.integer({ min: 1, max: 40 }),
  poster: fc.constantFrom('7', '8'),
  kind: fc.constantFrom('call', 'call', 'recall', 'brag'),
} as const)

/**
 * If `isKnown` is false, the mint was launched before the log begins. `mood` says how price lookups are
 * answered.
 */
export const world = fc.record({
  isKnown: fc.boolean(),
  trades: fc.array(tradeStep, { minLength: 1, maxLength: 40 }),
  migratesAfter: fc.oneof(fc.nat(6), fc.nat(60)),
  posts: fc.array(post, { minLength: 1, maxLength: 12 }),
  mood: fc.record({
    seed: fc.nat(),
    source: fc.constantFrom('aggregator', 'aggregator', 'pool'),
    failShare: fc.constantFrom(0, 0.1, 0.97),
    /** The share of the failed price lookups in which no source answers. */
    silentShare: fc.constantFrom(0, 0.2, 0.9),
    slowShare: fc.constantFrom(0, 0.3),
    isStrange: fc.boolean(),
  } as const),
})
export type World = typeof world extends fc.Arbitrary<infer Its> ? Its : never

export function factsOf({ isKnown, trades, migratesAfter }: World): ChainBFact[] {
  if (!isKnown) return []
  let atSec = 0
  const place = () => ({ blockAtMs: second(atSec) })
  const facts: ChainBFact[] = [buildCurveLaunched(place())]
  for (const [index, { gapSec: gap, level }] of trades.entries()) {
    atSec += gap
    if (atSec > lifeSec - hourSec) break
    if (index === migratesAfter) {
      facts.push(buildCurveTraded({ fill: 1, ...place() }))
      atSec += 5
      facts.push(buildCurveMigrated(place()))
    } else if (index < migratesAfter) facts.push(buildCurveTraded({ fill: level / 100, ...place() }))
    else facts.push(buildPoolTraded({ poolQuoteRaw: lamports(level), ...place() }))
  }
  return facts
}

/** Keeps one post for each chat and post number. */
function mentionsOf({ posts }: World): readonly Mentioned[] {
  const byPlace = new Map(posts.map((each) => [`${each.chat}:${each.post}`, each]))
  return [...byPlace.values()]
    .sort((one, other) => one.atSec - other.atSec)
    .map(({ atSec, ...rest }) => buildMention({ postedAtMs: second(atSec), ...rest }).data)
}

/**
 * The length of a period, in milliseconds. Where most price lookups fail, they still succeed in some periods.
 * So a token counts as dead and later as alive again.
 */
const stretchMs = 10 * 3_600_000

type Mood = World['mood']

const chancesOf = ({ seed }: Mood, text: string): readonly number[] =>
  [...createHash('sha1').update(`${seed}:${text}`).digest()].map((byte) => byte / 256)

/**
 * Answers a price lookup with a price, soon or late, or with no price. The answer depends only on the id of
 * the lookup.
 */
export const answering =
  ({ mood }: World) =>
  (questionId: string): PriceAnswered => {
    const atMs = Number(questionId.slice(questionId.lastIndexOf(':') + 1))
    const [chance = 0, other = 0, level = 0, pace = 0, silence = 0] = chancesOf(mood, questionId)
    const answeredAtMs = atMs + Math.round(pace < mood.slowShare ? 15_000 + pace * 200_000 : pace * 15_000)
    if (!isFailing(mood, atMs, chance)) {
      const source = mood.isStrange && other < 0.2 ? unlike[mood.source] : mood.source
      return { ...buildPriceAnswer(questionId, 0.1 + level, { source }).data, answeredAtMs }
    }
    const isSilent = silence < mood.silentShare
    const failure = mood.isStrange && other < 0.02 ? tooOld : isSilent ? 'no answer' : 'no price'
    const isWithoutPrice = failure === 'no price'
    return { ...buildPriceAnswer(questionId, null, { failure }).data, isWithoutPrice, answeredAtMs }
  }

const unlike = { aggregator: 'pool', pool: 'aggregator' } as const

function isFailing(mood: Mood, atMs: number, chance: number): boolean {
  const [stretch = 0] = chancesOf(mood, `stretch ${Math.floor(atMs / stretchMs)}`)
  return chance < mood.failShare && (mood.failShare < 0.9 || stretch < 0.7)
}

/**
 * A post becomes known in the first tick that is at least `delayMs` after it. With a negative `delayMs`, the
 * post may become known before its own time.
 */
export type Delivery = Readonly<{ tickMs: number; delayMs: number; isRestarted: boolean }>

/** `runnable` is the stage. By default, it has the default rules. */
type Telling = Delivery & Readonly<{ runnable?: typeof chainB }>

type Outcome = Readonly<{
  records: readonly ChainBDerived[]
  tickAtMs: readonly number[]
  posts: readonly Readonly<{ mention: Mentioned; knownIn: number }>[]
}>

export function tell(drawn: World, { tickMs, delayMs, isRestarted, runnable = chainB }: Telling): Outcome {
  const driver = createTestDriver(runnable)
  const answerTo = answering(drawn)
  const facts = factsOf(drawn)
  const mentions = mentionsOf(drawn)
  const posts: { mention: Mentioned; knownIn: number }[] = []
  const tickAtMs: number[] = []
  const records: ChainBDerived[] = []
  for (let atMs = second(0) + tickMs; atMs <= second(lifeSec); atMs += tickMs) {
    while (facts[0] && facts[0].data.blockAtMs <= atMs) driver.fact(testMint, facts.shift() as ChainBFact)
    const due = mentions.slice(posts.length).filter(({ postedAtMs }) => postedAtMs + delayMs <= atMs)
    for (const mention of due) driver.answer(testMint, { type: 'Mentioned', data: mention })
    posts.push(...due.map((mention) => ({ mention, knownIn: tickAtMs.length })))
    tickAtMs.push(atMs)
    const closed = driver.tick(atMs).map(({ record }) => record)
    if (isRestarted && tickAtMs.length % 97 === 0) driver.restart()
    records.push(...closed)
    const asked = closed.flatMap((record) => (record.type === 'PriceAsked' ? [record.data] : []))
    for (const { questionId } of asked) driver.answer(testMint, { type: 'PriceAnswered', data: answerTo(questionId) })
  }
  return { records, tickAtMs, posts }
}
