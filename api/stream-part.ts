/** What a chain has pushed, as values: which of its derived records are events, and how their rows are shown. */
import type { z } from 'zod'
import type { RowKey, StageRecord } from '../schemas/stage.ts'

/**
 * A record as it was published. `supersedesAtMs`: a reorg moved the row here from that instant. `coinUsd`: what the chain’s coin
 * cost at its tick; null: not known.
 */
type Published = Readonly<{
  key: string
  record: StageRecord
  supersedesAtMs: number | null
  knownAtMs: number
  publishedAtMs: number
  coinUsd: number | null
}>

/** Derived records of one type, each a row of an event. */
export type StreamedRows = Readonly<{
  /** The type of the derived record. */
  recordType: string
  /** The event that tells of a new row. */
  event: string
  description: string
  /** The schema of the row. */
  schema: z.ZodObject
  /** Names the row for good: clients dedupe on it. `logKey`: the key that its record has on the log. */
  idOf(logKey: string, key: RowKey): string
  /** Whether the record tells of a new row. Default: every record does. Later versions of a row are no events. */
  isNews?(record: StageRecord): boolean
  /** The row in the shape of the live route, as known then: what is known later is not there yet. */
  rowOf(published: Published): object
}>

export type StreamPart = Readonly<{
  /** The name of the chain in events. */
  wireName: string
  rows: readonly StreamedRows[]
}>
