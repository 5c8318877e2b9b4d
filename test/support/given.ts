/**
 * A processor test in three steps: `given(processors, past).when(event).emits([...])`.
 * Events are facts and answers of one token. The past and the event are each closed by a tick at the time of their last fact,
 * unless the event begins in the past's last block: then both are judged together.
 */
import { expect } from 'chai'
import type { Processor } from '../../processors/processor.ts'
import { createTestDriver, type TestDriver } from '../../processors/runtime/test-driver.ts'
import type { ChainADerived } from '../../schemas/chain-a/derived.ts'
import { type ChainAAnswer, type ChainAFact, isAnswer } from '../../schemas/chain-a/facts.ts'
import { testStartAtMs, testToken } from './build-facts.ts'

export type Event = ChainAFact | ChainAAnswer

export type Given = Readonly<{
  /** One event, or several in chain order, closed by a tick. */
  when(...events: readonly Event[]): Then
  /** Nothing happens: for a timer that the past asked for. */
  wokenAt(atMs: number): Then
}>

type Then = Readonly<{
  /** What came of the event: these records, in this order, and no other. */
  emits(expected: readonly ChainADerived[]): void
  /** Lets block time pass `atMs` by a millisecond, so that timers due at that instant have fired; `emits` then counts their records alone. */
  wokenAt(atMs: number): Then
  /** Goes on: what came before is past. */
  when(...events: readonly Event[]): Then
  /** The records, for tests that look at a part of them. */
  records: readonly ChainADerived[]
  driver: TestDriver
}>

export function given(processors: Processor | readonly Processor[], past: readonly Event[] = []): Given {
  const driver = createTestDriver(Array.isArray(processors) ? processors : [processors as Processor])
  let atMs = testStartAtMs
  let openBlock: number | null = null

  const pipe = (event: Event) => {
    if (isAnswer(event)) return driver.answer(testToken, event)
    atMs = Math.max(atMs, event.data.blockAtMs)
    openBlock = event.data.blockNumber
    driver.fact(testToken, event)
  }
  const close = () => {
    openBlock = null
    return driver.tick(atMs).map((output) => output.record)
  }
  const when = (...events: readonly Event[]): Then => {
    const first = events.find(isFact)
    const isSameBlock = openBlock !== null && first?.data.blockNumber === openBlock
    if (openBlock !== null && !isSameBlock) close()
    for (const event of events) pipe(event)
    return then(close())
  }
  const wokenAt = (dueAtMs: number): Then => {
    if (openBlock !== null) close()
    atMs = Math.max(atMs, dueAtMs + 1)
    return then(close())
  }
  const then = (records: readonly ChainADerived[]): Then => ({
    emits: (expected) => expect(records).to.deep.equal(expected),
    wokenAt,
    when,
    records,
    driver,
  })

  for (const event of past) pipe(event)
  return { when, wokenAt }
}

const isFact = (event: Event): event is ChainAFact => !isAnswer(event)
