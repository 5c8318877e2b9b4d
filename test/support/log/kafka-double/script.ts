/** Says which requests the cluster of the double serves, refuses, loses or answers late, and records every request. */
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
 * What happens to a request. A number is the error code of the answer; the broker does nothing else. `lost`: the
 * request does not arrive. `answer lost`: the broker executes it, and then the connection fails. A promise: the request
 * arrives when the promise resolves.
 */
export type Step = number | 'served' | 'lost' | 'answer lost' | Promise<void>

export type Served<Answer> = Readonly<{
  api: Api
  /** The request as a line of `requests`. */
  line: string
  /** An error code that the broker would answer now, or 0. */
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
      // An answer never arrives in the turn of its request.
      await new Promise(setImmediate)
      if (step instanceof Promise) await step
      if (step === 'lost') throw hungUp()
      if (typeof step === 'number') return refused(step)
      const code = refusal?.() ?? 0
      const served = code === 0 ? await answer() : refused(code)
      if (step === 'answer lost') throw hungUp()
      return served
    },
    /** The steps of the next requests of an API. */
    next: (api: Api, ...more: readonly Step[]) => void steps.set(api, [...(steps.get(api) ?? []), ...more]),
    /** The step of every request of an API that `next` does not cover. Null ends it. */
    always: (api: Api, step: (() => Step) | null) => void (step ? lasting.set(api, step) : lasting.delete(api)),
    /** Resolves when the next request arrives whose line begins so. */
    arrival(line: string): Promise<void> {
      const seen = createDeferred()
      awaited = [...awaited, { line, seen }]
      return seen.promise
    },
    /** The lines of all requests since the last call. */
    takeAll: () => requests.splice(0),
    /** The lines of the requests since the last call, without those of the directory. */
    take: () => requests.splice(0).filter((line) => !/^(Metadata|FindCoordinator)/.test(line)),
    /** Fails if a step of `next` was never taken. */
    expectDone() {
      for (const [api, rest] of steps) assert.deepEqual(rest, [], `steps of ${api} that no request took`)
    },
  }
}
