/** One wait for the disk serves everybody who came while the last one ran: payments at the same time share their appends. */
import { setImmediate as nextTurn } from 'node:timers/promises'

export type GroupAppend<Item> = Readonly<{
  /** Resolves, or rejects, with the append that held the item. Items are appended in the order of the calls. */
  append: (item: Item) => Promise<void>
  /** The same, but waits for an append that somebody else needs, or for `flush`. */
  appendWithNext: (item: Item) => Promise<void>
  /** Appends all that came so far, and waits for it; never rejects. */
  flush: () => Promise<void>
}>

type Waiting<Item> = Readonly<{ item: Item; resolve: () => void; reject: (cause: unknown) => void }>

/** `appendAll` takes all or none of its items, and is never called again before it has answered. */
export function createGroupAppend<Item>(appendAll: (items: readonly Item[]) => Promise<void>): GroupAppend<Item> {
  let waiting: Waiting<Item>[] = []
  let running: Promise<void> | null = null

  const run = async () => {
    // Whoever else has something to say in this turn of the event loop is in time.
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
