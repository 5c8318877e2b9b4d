/** The arguments that every engine gets, and the lines that it prints to standard output. */
import type { SnapshotCount } from '../stage/snapshot-pace.ts'

export type Place = Readonly<{ brokers: string; topicIn: string; topicOut: string; id: string }>

export const sayFirst = (atMs = Date.now()): void => console.log(`FIRST ${atMs}`)

const tellEveryMs = 200

/** Prints the number and total bytes of the finished snapshots every 200 ms. */
export function tellSnapshots(count: () => SnapshotCount): void {
  setInterval(() => console.log(`SNAPSHOTS ${count().taken} ${count().bytes}`), tellEveryMs).unref()
}
