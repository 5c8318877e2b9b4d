/**
 * Records the effects of a program in their order, and interrupts the program after each of them. A test states that
 * A comes before B, and which state an interruption between them leaves:
 *
 *     await expectOrder({
 *       pairs: [['append the range', 'store the position']],
 *       interrupt: 'crash',
 *       begin: async () => createWorld(),
 *       run: (world, effects) => run({ log: effects.around(world.log, { append: () => 'append the range' }) }),
 *       leaves: async (world) => expect(await world.afterRestart()).to.deep.equal(all),
 *     })
 *
 * The first run is not interrupted. Then there is one more run for each effect, interrupted after that effect.
 * `begin` creates a new test setup for each run.
 */
import { expect } from 'chai'

export type Effects = Readonly<{
  /** The names of the effects so far. */
  done: readonly string[]
  /** The signal aborts if the interruption is an abort, and at the end of each run. */
  signal: AbortSignal
  /** Performs the effect and records its name. */
  perform<Result>(name: string, effect: () => Result | Promise<Result>): Promise<Result>
  /** Returns a copy of the port. Calls for which `named` returns a name are recorded as effects. */
  around<Port extends object>(port: Port, named: Named<Port>): Port
}>

/** Returns the name of a call, computed from its arguments. Null: the call is not an effect. */
type Named<Port> = Readonly<{
  [Method in keyof Port]?: Port[Method] extends (...args: infer Args) => unknown
    ? (...args: Args) => string | null
    : never
}>

/**
 * `crash`: the program stops after the effect, like a killed process. It gets no more answers from its ports
 * and runs no `finally`. `abort`: the signal aborts, and the program stops by itself. A function changes the
 * test setup, and the program continues.
 */
type Interruption<World> = 'crash' | 'abort' | ((world: World) => void | Promise<void>)

type Order<World> = Readonly<{
  /**
   * In each pair, the first effect must come before the second effect. An effect that is repeated needs a
   * different name each time.
   */
  pairs: readonly (readonly [first: string, second: string])[]
  interrupt: Interruption<World>
  begin: () => World | Promise<World>
  run: (world: World, effects: Effects) => Promise<unknown>
  /** Checks the state after each run, interrupted or not. `done` lists the effects of the run. */
  leaves: (world: World, done: readonly string[]) => unknown
  /** Called at the end of each run. */
  end?: (world: World) => void | Promise<void>
}>

export async function expectOrder<World>(order: Order<World>): Promise<void> {
  const whole = await runInterrupted(order, Number.POSITIVE_INFINITY)
  for (const [first, second] of order.pairs) expectBefore(whole, first, second)
  for (let count = 1; count <= whole.length; count++) {
    const done = await runInterrupted(order, count)
    expect(done.length, `effects of a run that ends after effect ${count}: ${done.join(', ')}`).to.be.at.least(count)
  }
}

function expectBefore(done: readonly string[], first: string, second: string): void {
  const all = done.join(', ')
  for (const name of [first, second]) expect(done, `the effects ${all}`).to.include(name)
  expect(done.indexOf(first), `"${first}" before "${second}", in ${all}`).to.be.below(done.indexOf(second))
}

/**
 * Runs the program in a new test setup, interrupts it after `count` effects, and checks the resulting state.
 */
async function runInterrupted<World>(order: Order<World>, count: number): Promise<readonly string[]> {
  const { interrupt, begin, run, leaves, end } = order
  const world = await begin()
  const stop = new AbortController()
  const crash = createCrash()
  const strike = async () => {
    if (interrupt === 'crash') crash.strike()
    else if (interrupt === 'abort') stop.abort()
    else await interrupt(world)
  }
  const { done, ...recording } = createRecording({ count, strike, crash })
  try {
    await Promise.race([run(world, { ...recording, done, signal: stop.signal }), crash.struck])
    const seen = [...done]
    await atCut(seen, count, () => leaves(world, seen))
    return seen
  } finally {
    stop.abort()
    await end?.(world)
  }
}

/** Runs a check. If it fails, the message of the error also says where the program was interrupted. */
async function atCut(done: readonly string[], count: number, check: () => unknown): Promise<void> {
  try {
    await check()
  } catch (error) {
    const where = count > done.length ? 'in a whole run' : `interrupted after "${done[count - 1]}", effect ${count}`
    if (error instanceof Error) error.message = `${where}: ${error.message}`
    throw error
  }
}

type Crash = Readonly<{ isOver: () => boolean; struck: Promise<void>; strike: () => void }>

function createCrash(): Crash {
  let isOver = false
  let resolveStruck = () => {}
  const struck = new Promise<void>((resolve) => {
    resolveStruck = resolve
  })
  const strike = () => {
    isOver = true
    resolveStruck()
  }
  return { isOver: () => isOver, struck, strike }
}

/** Returns the answer of a port to a crashed program: a promise that never settles. */
const noAnswer = <Result>() => new Promise<Result>(() => {})

type Recording = Readonly<{ count: number; strike: () => Promise<void>; crash: Crash }>

function createRecording({ count, strike, crash }: Recording): Omit<Effects, 'signal'> {
  const done: string[] = []
  const perform: Effects['perform'] = async (name, effect) => {
    if (crash.isOver()) return noAnswer()
    const result = await effect()
    if (crash.isOver()) return noAnswer()
    done.push(name)
    if (done.length === count) await strike()
    return crash.isOver() ? noAnswer() : result
  }
  return {
    done,
    perform,
    around(port, named) {
      const wrapped: Record<string, unknown> = {}
      for (const [method, nameOf] of Object.entries(named) as [string, (...args: unknown[]) => string | null][]) {
        const call = (port as Record<string, (...args: unknown[]) => unknown>)[method]
        wrapped[method] = (...args: unknown[]) => {
          const name = nameOf(...args)
          return name === null ? call?.(...args) : perform(name, () => call?.(...args))
        }
      }
      return { ...port, ...wrapped }
    },
  }
}
