import { expect } from 'chai'
import { viewed } from '../../../../infra/codec/avro/viewed-bytes.ts'
import { pumpEvents, pumpSwapEvents } from '../../../../ingest/chain-b/decode/event-layouts.ts'
import { encodeEvent } from '../../../support/chain-b/encode-events.ts'
import { decode, emittedOf, recorded } from './recorded.ts'

describe('an event that cannot be read', () => {
  it('is named with its ordinal, and the others stand', () => {
    const trade = emittedOf(recorded('TradeEvent', 225))
    const cut = { ...trade, payload: trade.payload.subarray(0, 200) }
    const { facts, refusals } = decode([cut, trade])
    expect(facts.map(({ fact }) => fact.data.logIndex)).to.deep.equal([1])
    expect(refusals).to.deep.equal([{ logIndex: 0, reason: 'a TradeEvent of 200 bytes has an unknown version' }])
  })

  /** For each event, the last field of its first version. */
  const firstVersions = [
    [pumpEvents.TradeEvent, 'TradeEvent', 'virtual_token_reserves'],
    [pumpEvents.CreateEvent, 'CreateEvent', 'user'],
    [pumpEvents.CompleteEvent, 'CompleteEvent', 'timestamp'],
    [pumpEvents.CompletePumpAmmMigrationEvent, 'CompletePumpAmmMigrationEvent', 'pool'],
    [pumpSwapEvents.BuyEvent, 'BuyEvent', 'protocol_fee_recipient_token_account'],
    [pumpSwapEvents.SellEvent, 'SellEvent', 'protocol_fee_recipient_token_account'],
  ] as const
  for (const [reader, name, lastField] of firstVersions)
    it(`is a ${name} with a field less than its first version`, () => {
      const { program, payload } = emittedOf(recorded(name))
      reader.read(viewed(payload))
      const field = Reflect.get(reader.fields, lastField) as number
      const [whole, less] = [payload.subarray(0, reader.startOf(field + 1)), payload.subarray(0, reader.startOf(field))]
      const refusalsOf = (bytes: Buffer) => decode([{ program, payload: bytes }], undefined, 1_724_128_600_000).refusals
      expect(refusalsOf(whole)).to.deep.equal([])
      const reason = `a ${name} of ${less.length} bytes has an unknown version`
      expect(refusalsOf(less)).to.deep.equal([{ logIndex: 0, reason }])
    })

  it('has no time of its own nor of its slot', () => {
    const someone = { key: 'Ce6TQqeHC9p8KetsN6JsjHK7UTZk7nasjjnr7XxXp9F1' }
    const complete = encodeEvent('CompleteEvent', [someone, someone, someone, { i64: 2n ** 62n }])
    const events = [{ program: 'pump', payload: complete } as const, emittedOf(recorded('CreateEvent', 201))]
    for (const event of events) {
      const reason = 'neither the slot nor the event has a time'
      expect(decode([event])).to.deep.include({ facts: [], refusals: [{ logIndex: 0, reason }] })
      expect(decode([event], undefined, 1_724_128_600_000).facts).to.have.lengthOf(1)
    }
  })
})
