import { base58 } from '@scure/base'
import { expect } from 'chai'
import { viewed } from '../../../../infra/codec/avro/viewed-bytes.ts'
import { pumpEvents, pumpSwapEvents } from '../../../../ingest/chain-b/decode/event-layouts.ts'
import type { Layout, PrefixReader } from '../../../../ingest/chain-b/decode/prefix-reader.ts'
import { recordedEvents } from '../../../support/chain-b/fixtures.ts'

type Reader = PrefixReader<Layout>
const readers = { ...pumpEvents, ...pumpSwapEvents } as unknown as Readonly<Record<string, Reader>>

const addressOf = (hex: string): string => base58.encode(Buffer.from(hex.slice(2), 'hex'))

/**
 * Returns the value of a field in the form of the recordings. The recordings write integers of 64 or more
 * bits as text.
 */
function recordedValueOf(reader: Reader, field: number, like: unknown): unknown {
  const size = reader.startOf(field + 1) - reader.startOf(field)
  if (Array.isArray(like)) return size === 4 ? [] : null
  if (typeof like === 'boolean') return reader.bool(field)
  if (typeof like === 'number') return reader.small(field)
  if (size === 32 && isAddress(like)) return addressOf(reader.hex(field) ?? '0x')
  if (!/^-?\d+$/.test(String(like))) return reader.text(field)
  return String(size === 16 ? reader.i128(field) : reader.u64(field))
}

const isAddress = (value: unknown): boolean => {
  try {
    return base58.decode(String(value)).length === 32
  } catch {
    return false
  }
}

describe('recorded events', () => {
  for (const { event, payload, fieldCount, decoded } of recordedEvents()) {
    const bytes = Buffer.from(payload, 'base64')
    it(`${event} of ${bytes.length} bytes is read to its end and has the recorded values`, () => {
      const reader = readers[event]!
      reader.read(viewed(bytes))
      expect(reader.fieldCount).to.equal(fieldCount)
      expect(reader.leftover).to.equal(0)
      const values = Object.entries(decoded).map(([name, like]) => [
        name,
        name === 'timestamp' || name === 'last_update_timestamp'
          ? String(reader.i64(reader.fields[name]!))
          : recordedValueOf(reader, reader.fields[name]!, like),
      ])
      expect(Object.fromEntries(values)).to.deep.equal(decoded)
      expect(values.map(([name]) => name)).to.deep.equal(Object.keys(reader.fields).slice(0, fieldCount))
    })
  }

  it('are of 19 layouts', () => {
    const layouts = recordedEvents().map(({ event, fieldCount }) => `${event} ${fieldCount}`)
    expect(layouts).to.have.lengthOf(29)
    expect(new Set(layouts).size).to.equal(19)
  })
})
