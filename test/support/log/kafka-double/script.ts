/**
 * Decides which requests the in-memory cluster serves, refuses, loses or answers late. It also records every
 * request.
 */
import assert from 'node:assert/strict'
import { createDeferred, type Deferred } from './deferred.ts'

export type Api =
  | 'Metadata'
  | 'FindCoordinator'
  | 'ListOffsets'
  | 'DeleteRecords'
  | 'DescribeTransactions'
  | 'InitProducerId'
  | 'AddPartitionsToTxn'
  | 'Produce'
  | 'EndTxn'
  | 'Fetch'

/**
 * What happens to a request. A number: the broker answers with this error code and does nothing else. `lost`:
 * the request does not arrive. `answer lost`: the broker executes the request, and then the connection fails.
 * A promise: the request arrives when the promise resolves.
 */
export type Step = number | 'served' | 'lost' | 'answer lost' | Promise<void>

export type Served<Answer> = Readonly<{
  api: Api
  /** The text of the request in the list `requests`. */
  line: string
  /** Returns the error code that the broker would answer now, or 0 if it would not refuse. */
  refusal?: () => number
  answer: () => Answer | Promise<Answer>
  refused: (errorCode: number) => Answer
}>

export const hungUp = (): Error => Object.assign(new Error('hung up'), { name: 'KafkaJSConnectionClosedError' })

export type Script = ReturnType<typeof createScript>

export function createScript() {
  const requests: string[] = []
  const steps = new Map<Api, Step[]>()
  const lasting = new Map<Api, () => Step>()
  let awaited: readonly Readonly<{ line: string; seen: Deferred }>[] = []

  const note = (line: string) => {
    requests.push(line)
    for (const its of awaited) if (line.startsWith(its.line)) its.seen.resolve()
    awaited = awaited.filter((its) => !line.startsWith(its.line))
  }

  return {
    async serve<Answer>({ api, line, refusal, answer, refused }: Served<Answer>): Promise<Answer> {
      note(line)
      const step = steps.get(api)?.shift() ?? lasting.get(api)?.() ?? 'served'
      // An answer never arrives in the same turn of the event loop as its request.
      await new Promise(setImmediate)
      if (step instanceof Promise) await step
      if (step === 'lost') throw hungUp()
      if (typeof step === 'number') return refused(step)
      const code = refusal?.() ?? 0
      const served = code === 0 ? await answer() : refused(code)
      if (step === 'answer lost') throw hungUp()
      return served
    },
    /** Sets what happens to the next requests of an API, one step for each request. */
    next: (api: Api, ...more: readonly Step[]) => void steps.set(api, [...(steps.get(api) ?? []), ...more]),
    /**
     * Sets what happens to every request of an API for which `next` has no step. With null, such requests are
     * served again.
     */
    always: (api: Api, step: (() => Step) | null) => void (step ? lasting.set(api, step) : lasting.delete(api)),
    /** Resolves when the next request arrives whose text begins with `line`. */
    arrival(line: string): Promise<void> {
      const seen = createDeferred()
      awaited = [...awaited, { line, seen }]
      return seen.promise
    },
    /** Returns the texts of all requests since the last call. */
    takeAll: () => requests.splice(0),
    /** Returns the texts of the requests since the last call, without the requests that look up brokers. */
    take: () => requests.splice(0).filter((line) => !/^(Metadata|FindCoordinator)/.test(line)),
    /** Fails if no request took a step that was set with `next`. */
    expectDone() {
      for (const [api, rest] of steps) assert.deepEqual(rest, [], `steps of ${api} that no request took`)
    },
  }
}
