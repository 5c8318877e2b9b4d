/** One wait for the disk serves everybody who came while the last one ran: payments at the same time share their appends. */
import { setImmediate as nextTurn } from 'node:timers/promises'

export type GroupAppend<Item> = Readonly<{
  /** Resolves, or rejects, with the append that held the item. Items are appended in the order of the calls. */
  append: (item: Item) => Promise<void>
  /** Waits for all that came so far; never rejects. */
  settle: () => Promise<void>
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
  return {
    append: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        running ??= run()
      }),
    settle: async () => {
      await running
    },
  }
}
