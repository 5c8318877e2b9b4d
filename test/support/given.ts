/**
 * A processor test in three steps: `given(processors, past).when(event).emits([...])`, with a `given` for each stage.
 * Events are facts and answers of one token. The past and the event are each closed by a tick at the time of their last fact,
 * unless the event begins in the past's last block: then both are judged together.
 */
import { expect } from 'chai'
import type { StageProcessor } from '../../processors/processor.ts'
import { createTestDriver, type TestDriver } from '../../processors/runtime/test-driver.ts'
import type { Stage, StageTypes } from '../../schemas/stage.ts'

type Event<Types extends StageTypes> = Types['fact'] | Types['answer']

type Given<Types extends StageTypes> = Readonly<{
  /** One event, or several in chain order, closed by a tick. */
  when(...events: readonly Event<Types>[]): Then<Types>
  /** Nothing happens: for a timer that the past asked for. */
  wokenAt(atMs: number): Then<Types>
}>

type Then<Types extends StageTypes> = Readonly<{
  /** What came of the event: these records, in this order, and no other. */
  emits(expected: readonly Types['derived'][]): void
  /** Lets block time pass `atMs` by a millisecond, so that timers due at that instant have fired; `emits` then counts their records alone. */
  wokenAt(atMs: number): Then<Types>
  /** Goes on: what came before is past. */
  when(...events: readonly Event<Types>[]): Then<Types>
  /** The records, for tests that look at a part of them. */
  records: readonly Types['derived'][]
  driver: TestDriver<Types>
}>

/** The stage, the key that all events are about, and the instant that its time begins at. */
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
