/** The seconds that each part of a run took. */
export type Parts = Readonly<{
  time<Result>(part: string, run: () => Promise<Result>): Promise<Result>
  /** Measures the time until each value of the iterator. */
  untilEach<Value>(part: string, values: AsyncIterable<Value>): AsyncGenerator<Value>
  /** The parts are in the order of their first start. */
  seconds(): readonly (readonly [part: string, seconds: number])[]
}>

export function createParts(): Parts {
  const msOf = new Map<string, number>()
  const time: Parts['time'] = async (part, run) => {
    const startedAtMs = performance.now()
    msOf.set(part, msOf.get(part) ?? 0)
    try {
      return await run()
    } finally {
      msOf.set(part, (msOf.get(part) ?? 0) + performance.now() - startedAtMs)
    }
  }
  return {
    time,
    async *untilEach(part, values) {
      const iterator = values[Symbol.asyncIterator]()
      for (;;) {
        const { done, value } = await time(part, () => iterator.next())
        if (done === true) return
        yield value
      }
    },
    seconds: () => [...msOf].map(([part, ms]) => [part, ms / 1000]),
  }
}
