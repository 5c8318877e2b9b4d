/** Compares the events that clients of the stream received. */
import { createHash } from 'node:crypto'
import { tokensOfPartitions } from '../../api/stream/partition-tokens.ts'
import type { Consumer, Frame } from './consumer.ts'

const rowNames: ReadonlySet<string> = new Set(['burst', 'restated', 'withdrawn'])
export const isRow = ({ name }: Frame): boolean => rowNames.has(name)

export type Row = Readonly<{
  knownAt: number
  id: string
  row: Readonly<{ token: string; publishedAt: number }> | null
}>
export const rowOf = ({ line }: Frame): Row => JSON.parse(line)

/** The offsets of a cursor. */
export const offsetsOf = (cursor: string): readonly number[] =>
  cursor.split(/[.-]/).map((text) => Number.parseInt(text, 36))

/** Learns the partition of each row from its token. A removed row has no token, but was published before. */
export function createPartitions() {
  const known = new Map<string, number>()
  return (frame: Frame): number => {
    const { id, row } = rowOf(frame)
    if (row !== null) known.set(id, tokensOfPartitions.indexOf(row.token as `0x${string}`))
    return known.get(id) ?? Number.NaN
  }
}

export type PartitionOf = ReturnType<typeof createPartitions>

/** The first difference between two lists of events, in any order of the partitions, as text. Null: there is none. */
export function differenceOf(got: readonly Frame[], wanted: readonly Frame[], partitionOf: PartitionOf): string | null {
  for (const partition of tokensOfPartitions.keys()) {
    const linesOf = (frames: readonly Frame[]) =>
      frames.filter((frame) => partitionOf(frame) === partition).map(({ line }) => line)
    const [gotLines, wantedLines] = [linesOf(got), linesOf(wanted)]
    const at = wantedLines.findIndex((line, index) => line !== gotLines[index])
    if (at >= 0 || gotLines.length !== wantedLines.length)
      return `partition ${partition}: ${gotLines.length} events, and not ${wantedLines.length}. The first difference is at ${at}`
  }
  return got.length === wanted.length ? null : `${got.length} events, and not ${wanted.length}`
}

/** The events that were sent again, and whether `caught-up` describes them. */
export function againOf({ frames }: Pick<Consumer, 'frames'>) {
  const end = frames.findIndex(({ name }) => name === 'caught-up')
  const again = frames.slice(0, end).filter(isRow)
  const hash = createHash('sha256')
  for (const { id, line } of again) hash.update(`id: ${id}\ndata: ${line}\n`)
  const said = JSON.parse(frames[end]?.line ?? '{}') as Readonly<{ count: number; hash: string }>
  return { again, isTrue: said.count === again.length && said.hash === hash.digest('hex') }
}
