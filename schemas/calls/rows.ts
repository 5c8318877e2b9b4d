/**
 * The row keys of records about calls and about the paper desk (the simulated trading). They are the same on
 * every chain. A key distinguishes the rows of one type and token.
 */
import type { AvroValue } from '../avro.ts'
import { deskDerivedSchemas } from '../desk/derived.ts'
import type { EpochMs } from '../units.ts'
import { callDerivedSchemas, precallDerivedSchemas } from './derived.ts'

const schemas = { ...callDerivedSchemas, ...precallDerivedSchemas, ...deskDerivedSchemas } as const

/** A record about calls or about the paper desk. */
export type RecordOfCalls = {
  [Name in keyof typeof schemas]: Readonly<{ type: Name; data: AvroValue<(typeof schemas)[Name]> }>
}[keyof typeof schemas]

type TokenRow = Readonly<{ atMs: EpochMs; name: string }>

/**
 * Returns the row key of the record. Returns null if the record is neither about calls nor about the paper
 * desk.
 */
export function rowOfCalls(record: Readonly<{ type: string; data: object }>): TokenRow | null {
  if (!isOfCalls(record)) return null
  switch (record.type) {
    case 'Call':
      return { atMs: record.data.calledAtMs, name: '' }
    case 'PriceAsked':
    case 'PrecallSendersAsked':
      return { atMs: record.data.atMs, name: '' }
    case 'CallScored':
      return { atMs: record.data.postedAtMs, name: `${record.data.chat}:${record.data.post}` }
    case 'Precall':
    case 'PrecallBuyers':
      return { atMs: record.data.postedAtMs, name: '' }
    case 'ScannerGrade':
      return { atMs: record.data.gradedSinceMs, name: '' }
    case 'DeskOpened':
    case 'DeskTrade':
      return { atMs: record.data.openedAtMs, name: `${record.data.book}:${record.data.lane}` }
    case 'DeskTwin':
      return { atMs: record.data.openedAtMs, name: record.data.lane }
    case 'DeskShadow':
      return { atMs: record.data.signalAtMs, name: record.data.signal }
  }
}

const isOfCalls = (record: Readonly<{ type: string }>): record is RecordOfCalls => record.type in schemas
