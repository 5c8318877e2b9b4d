/**
 * Tests a processor in three steps: `given(processors, past).when(event).emits([...])`. Events are facts and
 * answers of one token. A tick (the record that closes a time step) follows the past, and another tick
 * follows the event. If the event is in the last block of the past, only one tick follows both. A tick has
 * the time of the last fact before it.
 */
import { expect } from 'chai'
import type { StageProcessor } from '../../processors/processor.ts'
import { createTestDriver, type TestDriver } from '../../processors/runtime/test-driver.ts'
import type { Stage, StageTypes } from '../../schemas/stage.ts'

type Event<Types extends StageTypes> = Types['fact'] | Types['answer']

type Given<Types extends StageTypes> = Readonly<{
  /** Sends one event, or several in chain order, and then a tick. */
  when(...events: readonly Event<Types>[]): Then<Types>
  /** Sends a tick with a time after `atMs` and without an event, so that timers of the past fire. */
  wokenAt(atMs: number): Then<Types>
}>

type Then<Types extends StageTypes> = Readonly<{
  /** Expects exactly these records after the event, in this order. */
  emits(expected: readonly Types['derived'][]): void
  /**
   * Sends a tick 1 ms after `atMs`, so that timers due at `atMs` fire. A following `emits` checks only the
   * records of these timers.
   */
  wokenAt(atMs: number): Then<Types>
  /** Sends further events. The earlier events now belong to the past. */
  when(...events: readonly Event<Types>[]): Then<Types>
  /** The emitted records, for a test that checks only some of them. */
  records: readonly Types['derived'][]
  driver: TestDriver<Types>
}>

/** The stage, the key of all events, and the time at which the test begins. */
type Setting<Types extends StageTypes> = Readonly<{ stage: Stage<Types>; token: string; startAtMs: number }>

/** Makes the `given` of a stage. */
export const createGiven =
  <Types extends StageTypes>(setting: Setting<Types>) =>
  (
    processors: StageProcessor<Types> | readonly StageProcessor<Types>[],
    past: readonly Event<Types>[] = [],
  ): Given<Types> =>
    openGiven(setting, [processors].flat(), past)

function openGiven<Types extends StageTypes>(
  { stage, token, startAtMs }: Setting<Types>,
  processors: readonly StageProcessor<Types>[],
  past: readonly Event<Types>[],
): Given<Types> {
  const driver = createTestDriver({ stage, processors })
  const isFact = (event: Event<Types>): event is Types['fact'] => !stage.isAnswer(event)
  let atMs = startAtMs
  let openBlock: number | null = null

  const pipe = (event: Event<Types>) => {
    if (!isFact(event)) return driver.answer(token, event)
    const block = stage.blockOf(event)
    atMs = Math.max(atMs, block.atMs)
    openBlock = block.number
    driver.fact(token, event)
  }
  const close = () => {
    openBlock = null
    return driver.tick(atMs).map((output) => output.record)
  }
  const when = (...events: readonly Event<Types>[]): Then<Types> => {
    const first = events.find(isFact)
    const isSameBlock = first !== undefined && stage.blockNumberOf(first) === openBlock
    if (openBlock !== null && !isSameBlock) close()
    for (const event of events) pipe(event)
    return then(close())
  }
  const wokenAt = (dueAtMs: number): Then<Types> => {
    if (openBlock !== null) close()
    atMs = Math.max(atMs, dueAtMs + 1)
    return then(close())
  }
  const then = (records: readonly Types['derived'][]): Then<Types> => ({
    emits: (expected) => expect(records).to.deep.equal(expected),
    wokenAt,
    when,
    records,
    driver,
  })

  for (const event of past) pipe(event)
  return { when, wokenAt }
}
