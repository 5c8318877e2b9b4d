/** The derived records about the mints that a stage tracks. */
import { type AvroValue, nullable, recordOf } from '../avro.ts'
import { address, block, epochMs, lamports } from '../flavors.ts'

/** A stage begins to track a mint, at its launch or its `CurveFound`. Unknown values are null. */
const mintOpened = recordOf('MintOpened', [
  { name: 'openedAtMs', type: epochMs, doc: 'block time of its first fact in the log' },
  { name: 'curve', type: address },
  { name: 'launcher', type: nullable(address) },
  { name: 'creator', type: nullable(address) },
  { name: 'name', type: nullable('string') },
  { name: 'symbol', type: nullable('string') },
  { name: 'launchSlot', type: nullable(block) },
  { name: 'launchAtMs', type: nullable(epochMs) },
  { name: 'quoteMint', type: nullable(address), doc: 'null: SOL' },
  { name: 'isMayhem', type: 'boolean' },
])

/**
 * The mint is no longer tracked: too long after the curve was complete, or after its last fact
 * (`mint-life.ts`).
 */
const mintClosed = recordOf('MintClosed', [
  { name: 'openedAtMs', type: epochMs, doc: 'that of its MintOpened' },
  { name: 'closedAtMs', type: epochMs },
])

/**
 * The trades of a mint in one minute, on its curve or in the pool that replaced the curve. Published with the first slot
 * after the minute. A minute without trades has no record.
 */
const mintMinute = recordOf('MintMinute', [
  { name: 'minuteAtMs', type: epochMs, doc: 'the start of the minute, in block time' },
  { name: 'buyLamports', type: lamports, doc: 'fees left out' },
  { name: 'sellLamports', type: lamports, doc: 'fees left out' },
  { name: 'buys', type: 'int' },
  { name: 'sells', type: 'int' },
  { name: 'lastPx', type: 'double', doc: 'SOL per raw token unit after the last trade' },
  { name: 'fill', type: nullable('double'), doc: 'the curve’s fill after the last trade, 0-1; null: in the pool' },
])

export const mintSchemas = { MintOpened: mintOpened, MintClosed: mintClosed, MintMinute: mintMinute } as const

export type MintOpened = AvroValue<typeof mintOpened>
export type MintMinute = AvroValue<typeof mintMinute>
