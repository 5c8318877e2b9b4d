/**
 * The types for the events of a chain in the stream. They define which computed records become events, and
 * how the rows are shown.
 */
import type { z } from 'zod'
import type { RowKey, StageRecord } from '../schemas/stage.ts'
import type { EpochMs } from '../schemas/units.ts'

/**
 * A record as published. `supersedesAtMs`: the former `atMs` of the row if a reorg changed it, otherwise
 * null. `coinUsd`: the USD price of the chain's coin when the record became known, or null if the price was
 * unknown.
 */
type Published = Readonly<{
  key: string
  record: StageRecord
  supersedesAtMs: EpochMs | null
  knownAtMs: EpochMs
  publishedAtMs: EpochMs
  coinUsd: number | null
}>

/** The records of one type that the stream pushes. Each record is a row in an event. */
export type StreamedRows = Readonly<{
  recordType: string
  /** The name of the event for a new row. */
  event: string
  description: string
  schema: z.ZodObject
  /** Returns a permanent id of the row, on which clients deduplicate. `logKey`: the key of the record on the log. */
  idOf(logKey: string, key: RowKey): string
  /**
   * Returns whether the record is a new row. If not, the record is only a later version of a row and is not
   * pushed. Default: always true.
   */
  isNews?(record: StageRecord): boolean
  /**
   * Returns the row in the same shape as the route for live rows, without what became known after the
   * publication.
   */
  rowOf(published: Published): object
}>

export type StreamPart = Readonly<{
  /** The name of the chain in events. */
  wireName: string
  rows: readonly StreamedRows[]
}>
