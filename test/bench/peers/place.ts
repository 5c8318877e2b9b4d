/** What every engine is told, and what it says on its standard output. */
import type { SnapshotCount } from '../stage/snapshot-pace.ts'

export type Place = Readonly<{ brokers: string; topicIn: string; topicOut: string; id: string }>

export const sayFirst = (): void => console.log(`FIRST ${Date.now()}`)

const tellEveryMs = 200

/** Says again and again how many snapshots were finished, and of how many bytes. */
export function tellSnapshots(count: () => SnapshotCount): void {
  setInterval(() => console.log(`SNAPSHOTS ${count().taken} ${count().bytes}`), tellEveryMs).unref()
}
