/** Group commit: items that arrive while an append runs share the next one. */
import { setImmediate as nextTurn } from 'node:timers/promises'

export type GroupAppend<Item> = Readonly<{
  /** Resolves or rejects with the append that contains the item. Items are appended in the order of the calls. */
  append: (item: Item) => Promise<void>
  /** Like `append`, but starts no append: the item waits for the next one or for `flush`. */
  appendWithNext: (item: Item) => Promise<void>
  /** Appends all waiting items and waits for them; never rejects. */
  flush: () => Promise<void>
}>

type Waiting<Item> = Readonly<{ item: Item; resolve: () => void; reject: (cause: unknown) => void }>

/** `appendAll` must append all or none of its items. Its calls do not overlap. */
export function createGroupAppend<Item>(appendAll: (items: readonly Item[]) => Promise<void>): GroupAppend<Item> {
  let waiting: Waiting<Item>[] = []
  let running: Promise<void> | null = null

  const run = async () => {
    // Items of the same turn of the event loop join the first group.
    await nextTurn()
    while (waiting.length > 0) {
      const group = waiting
      waiting = []
      try {
        await appendAll(group.map(({ item }) => item))
        for (const { resolve } of group) resolve()
      } catch (cause) {
        for (const { reject } of group) reject(cause)
      }
    }
    running = null
  }
  const appendWithNext = (item: Item) =>
    new Promise<void>((resolve, reject) => {
      waiting.push({ item, resolve, reject })
    })
  return {
    append: (item) => {
      const appended = appendWithNext(item)
      running ??= run()
      return appended
    },
    appendWithNext,
    flush: async () => {
      if (waiting.length > 0) running ??= run()
      await running
    },
  }
}
