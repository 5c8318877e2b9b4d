/** The arguments of every engine, and its standard output. */
import type { SnapshotCount } from '../stage/snapshot-pace.ts'

export type Place = Readonly<{ brokers: string; topicIn: string; topicOut: string; id: string }>

export const sayFirst = (): void => console.log(`FIRST ${Date.now()}`)

const tellEveryMs = 200

/** Prints the number and bytes of finished snapshots again and again. */
export function tellSnapshots(count: () => SnapshotCount): void {
  setInterval(() => console.log(`SNAPSHOTS ${count().taken} ${count().bytes}`), tellEveryMs).unref()
}
