/** How many seconds went into what. */
export type Parts = Readonly<{
  time<Result>(part: string, run: () => Promise<Result>): Promise<Result>
  /** What it takes until each value comes. */
  untilEach<Value>(part: string, values: AsyncIterable<Value>): AsyncGenerator<Value>
  /** In the order of their first begin. */
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
