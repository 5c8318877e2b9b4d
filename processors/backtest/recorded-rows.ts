/**
 * Reads the rows that a stage published in a range of time. If a row was published several times in the
 * range, its last version is returned.
 */
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import { isMark, isTick, type Stage } from '../../schemas/stage.ts'
import {
  addVersion,
  type DerivedOutput,
  type RowVersion,
  type RowVersions,
} from '../runtime/restatement/row-versions.ts'
import type { KnownTimes } from './known-times.ts'
import { type Known, readKnown } from './read-known.ts'

type Recorded = Omit<Known, 'codec' | 'isWanted'> &
  Readonly<{ derivedCodec: SchemaCodec; types: ReadonlySet<string>; known?: KnownTimes }>

export async function recordedRows(stage: Stage, recorded: Recorded): Promise<RowVersions> {
  const { derivedCodec: codec, types, known } = recorded
  const rows = new Map<string, RowVersion>()
  // The records after the last tick. They become valid only with the next tick.
  let open: DerivedOutput[] = []
  for await (const { key, record } of readKnown(stage.derivedTopic.name, {
    ...recorded,
    codec,
    isWanted: () => true,
  })) {
    if (isTick(record)) {
      for (const output of open) {
        addVersion(stage, rows, output)
        if (!isMark(output.record)) known?.takeRow(output, record.data.knownAtMs)
      }
      open = []
    } else if (types.has(isMark(record) ? record.data.recordType : record.type)) open.push({ token: key, record })
  }
  return rows
}
