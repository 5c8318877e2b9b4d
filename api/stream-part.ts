/** The events of a chain that the stream pushes, as values: which derived records are events, and how their rows are shown. */
import type { z } from 'zod'
import type { RowKey, StageRecord } from '../schemas/stage.ts'
import type { EpochMs } from '../schemas/units.ts'

/**
 * A record as published. `supersedesAtMs`: the earlier instant of the row if a reorg changed that instant, or null.
 * `coinUsd`: the price of the chain's coin at the record's tick, or null if it was unknown.
 */
type Published = Readonly<{
  key: string
  record: StageRecord
  supersedesAtMs: EpochMs | null
  knownAtMs: EpochMs
  publishedAtMs: EpochMs
  coinUsd: number | null
}>

/** The derived records of one type that the stream pushes. Each record is a row in an event. */
export type StreamedRows = Readonly<{
  recordType: string
  /** The name of the event for a new row. */
  event: string
  description: string
  schema: z.ZodObject
  /** Returns a permanent id of the row, on which clients deduplicate. `logKey`: the key of the record on the log. */
  idOf(logKey: string, key: RowKey): string
  /**
   * Whether the record is a new row. Default: always. A record for which this returns false is only a later version of
   * a row, and is not pushed.
   */
  isNews?(record: StageRecord): boolean
  /** Returns the row in the shape of the live route, without what became known after publication. */
  rowOf(published: Published): object
}>

export type StreamPart = Readonly<{
  /** The name of the chain in events. */
  wireName: string
  rows: readonly StreamedRows[]
}>
