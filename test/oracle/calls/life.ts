/**
 * The history of one token, written by hand: its facts, the posts about it, and the answers to lookups. A
 * stage derives records from it tick by tick.
 */
import { createTestDriver } from '../../../processors/runtime/test-driver.ts'
import type { WalkDependencies } from '../../../processors/runtime/walk.ts'
import type { PriceAsked } from '../../../schemas/calls/derived.ts'
import type { Mentioned, PriceAnswered } from '../../../schemas/calls/facts.ts'
import type { BlockFields, StageRecord, StageTypes } from '../../../schemas/stage.ts'
import { second } from '../../support/builders/build-facts.ts'
import { buildMention, buildPriceAnswer } from '../../support/builders/build-mentions.ts'
import type { Post } from '../../support/oracle/calls/posts.ts'
import type { Told } from '../../support/oracle/calls/watch.ts'

/**
 * The answer to a price lookup. With `px` null, there is no price. With `isSilent`, no price source answered.
 * The answer comes `afterSec` seconds after the time for which the price was requested.
 */
type Price = Readonly<{
  px?: number | null
  isSilent?: boolean
  afterSec?: number
  source?: 'pool' | 'aggregator'
  change1h?: number
}>

/** `knownSec` is when the log has the post. By default, this is 1 s after the post. */
type LifePost = Partial<Mentioned> & Readonly<{ atSec: number; knownSec?: number }>

export type Life<Fact extends StageRecord = StageRecord> = Readonly<{
  facts?: readonly Fact[]
  posts: readonly LifePost[]
  /** The time between two ticks. By default, this is one minute. */
  tickSec?: number
  untilSec: number
  /** Returns the answer to the price lookup for a time. If it returns null, no answer ever comes. */
  price?(atSec: number): Price | null
  /**
   * Returns the answers to a lookup that is not about a price. Each answer comes `afterSec` seconds after the
   * tick in which the lookup was requested.
   */
  answers?(asked: StageRecord): readonly Readonly<{ answer: StageRecord; afterSec: number }>[]
  /** Answers to lookups that the stage did not request on this branch of the chain. */
  strays?: readonly Readonly<{ atSec: number; answer: StageRecord }>[]
}>

type Lived<Derived> = Readonly<{ records: readonly Derived[]; told: Pick<Told, 'posts' | 'tickAtMs' | 'answerTo'> }>

export function live<Types extends StageTypes>(
  { runnable, token }: Readonly<{ runnable: WalkDependencies<Types>; token: string }>,
  life: Life<Types['fact']>,
): Lived<Types['derived']> {
  const driver = createTestDriver(runnable)
  const mentions = life.posts.map(mentionOf).sort((one, other) => one.answeredAtMs - other.answeredAtMs)
  const facts = [...(life.facts ?? [])]
  let waiting = life.strays?.map(({ atSec, answer }) => ({ atMs: second(atSec), answer })) ?? []
  const [posts, tickAtMs, records]: [Post[], number[], Types['derived'][]] = [[], [], []]
  for (const atMs of ticksOf(life)) {
    while (facts[0] && blockAtMsOf(facts[0]) <= atMs) driver.fact(token, facts.shift() as Types['fact'])
    const due = mentions.slice(posts.length).filter(({ answeredAtMs }) => answeredAtMs <= atMs)
    for (const mention of due) driver.answer(token, { type: 'Mentioned', data: mention })
    posts.push(...due.map((mention) => ({ mention, knownIn: tickAtMs.length })))
    for (const { answer } of waiting.filter((one) => one.atMs <= atMs)) driver.answer(token, answer)
    waiting = waiting.filter((one) => one.atMs > atMs)
    tickAtMs.push(atMs)
    const said = driver.tick(atMs).map(({ record }) => record)
    records.push(...said)
    if (tickAtMs.length % 100 === 0) driver.restart()
    waiting.push(...said.flatMap((record) => answersTo(record, { life, token, atMs })))
  }
  const answerTo = (atMs: number, askedIn: number) => {
    const answer = priceOf(life, `${token}:${atMs}`, atMs)
    return answer === null || askedIn + 1 >= tickAtMs.length ? undefined : { tick: askedIn + 1, answer }
  }
  return { records, told: { posts, tickAtMs, answerTo } }
}

const mentionOf = ({ atSec, knownSec = atSec + 1, ...fields }: LifePost): Mentioned =>
  buildMention({ postedAtMs: second(atSec), seenAtMs: second(knownSec), ...fields }).data

const blockAtMsOf = ({ data }: StageRecord): number => (data as BlockFields).blockAtMs

const ticksOf = ({ tickSec = 60, untilSec }: Life): readonly number[] =>
  Array.from({ length: Math.floor(untilSec / tickSec) }, (_, index) => second((index + 1) * tickSec))

type Asking = Readonly<{ life: Life; token: string; atMs: number }>

function answersTo(asked: StageRecord, { life, atMs }: Asking) {
  if (asked.type === 'PriceAsked') {
    const { questionId, atMs: askedAtMs } = asked.data as PriceAsked
    const data = priceOf(life, questionId, askedAtMs)
    return data === null ? [] : [{ atMs, answer: { type: 'PriceAnswered', data } }]
  }
  return (life.answers?.(asked) ?? []).map(({ answer, afterSec }) => ({ answer, atMs: atMs + 1000 * afterSec }))
}

function priceOf({ price }: Life, questionId: string, atMs: number): PriceAnswered | null {
  const told = price?.((atMs - second(0)) / 1000) ?? null
  if (told === null) return null
  const { px = 1, isSilent = false, afterSec = 1, source = 'aggregator', change1h = null } = told
  const { data } = buildPriceAnswer(questionId, isSilent ? null : px, { source, change1h })
  return { ...data, isWithoutPrice: px === null && !isSilent, answeredAtMs: atMs + 1000 * afterSec }
}
