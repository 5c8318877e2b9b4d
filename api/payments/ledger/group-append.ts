/** Group commit: items that arrive while an append runs share the next append. */
import { setImmediate as nextTurn } from 'node:timers/promises'

export type GroupAppend<Item> = Readonly<{
  /** Appends an item. Resolves or rejects with the append that contains the item. Items are appended in the order of the calls. */
  append: (item: Item) => Promise<void>
  /** Like `append`, but starts no append. The item waits for the next append or for `flush`. */
  appendWithNext: (item: Item) => Promise<void>
  /** Appends all waiting items, also those that arrive while an append runs, and waits until they are written. Never rejects. */
  flush: () => Promise<void>
}>

type Waiting<Item> = Readonly<{ item: Item; resolve: () => void; reject: (cause: unknown) => void }>

/** `appendAll` must append all of its items or none. Calls of `appendAll` never overlap. */
export function createGroupAppend<Item>(appendAll: (items: readonly Item[]) => Promise<void>): GroupAppend<Item> {
  let waiting: Waiting<Item>[] = []
  /** Whether one of the waiting items starts an append. */
  let isDue = false
  let running: Promise<void> | null = null

  const run = async () => {
    // Waits one turn of the event loop, so that all items that are added in this turn join the first group.
    await nextTurn()
    while (isDue) {
      isDue = false
      if (waiting.length === 0) break
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
      isDue = true
      running ??= run()
      return appended
    },
    appendWithNext,
    flush: async () => {
      isDue = true
      running ??= run()
      await running
    },
  }
}
