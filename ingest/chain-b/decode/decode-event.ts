import type { ViewedBytes } from '../../../infra/codec/avro/viewed-bytes.ts'
import { completionOf, curveTradeOf, launchOf, migrationOf, postCompleteBuyOf } from './decode-curve-event.ts'
import { poolCreationOf, poolTradeOf } from './decode-pool-event.ts'
import { type DecodedEvent, type EventContext, ignored, type RawEvent } from './decoded-event.ts'
import { discriminatorBytes, pumpEvents, pumpSwapEvents } from './event-layouts.ts'
import type { Layout, PrefixReader } from './prefix-reader.ts'
import type { ProgramName } from './programs.ts'

type EventKind = Readonly<{
  name: string
  discriminator: string
  reader: Pick<PrefixReader<Layout>, 'read' | 'isWhole' | 'fieldCount'>
  /** The number of fields in the first version of the event. */
  fieldCountMin: number
  decode(event: RawEvent, context: EventContext): DecodedEvent
}>

const kindsOf: Readonly<Record<ProgramName, readonly EventKind[]>> = {
  pump: [
    {
      name: 'TradeEvent',
      discriminator: 'bddb7fd34ee661ee',
      reader: pumpEvents.TradeEvent,
      fieldCountMin: pumpEvents.TradeEvent.fields.virtual_token_reserves + 1,
      decode: curveTradeOf,
    },
    {
      name: 'CreateEvent',
      discriminator: '1b72a94ddeeb6376',
      reader: pumpEvents.CreateEvent,
      fieldCountMin: pumpEvents.CreateEvent.fields.user + 1,
      decode: launchOf,
    },
    {
      name: 'CompleteEvent',
      discriminator: '5f72619cd42e9808',
      reader: pumpEvents.CompleteEvent,
      fieldCountMin: pumpEvents.CompleteEvent.fields.timestamp + 1,
      decode: completionOf,
    },
    {
      name: 'CompletePumpAmmMigrationEvent',
      discriminator: 'bde95db95c94ea94',
      reader: pumpEvents.CompletePumpAmmMigrationEvent,
      fieldCountMin: pumpEvents.CompletePumpAmmMigrationEvent.fields.pool + 1,
      decode: migrationOf,
    },
    {
      name: 'PostCompleteBuyEvent',
      discriminator: '6fb06d8b316cd5fb',
      reader: pumpEvents.PostCompleteBuyEvent,
      fieldCountMin: pumpEvents.PostCompleteBuyEvent.fields.pool_quote_reserves_after + 1,
      decode: postCompleteBuyOf,
    },
  ],
  'pump-swap': [
    {
      name: 'BuyEvent',
      discriminator: '67f4521f2cf57777',
      reader: pumpSwapEvents.BuyEvent,
      fieldCountMin: pumpSwapEvents.BuyEvent.fields.protocol_fee_recipient_token_account + 1,
      decode: (event, context) => poolTradeOf(event, context, true),
    },
    {
      name: 'SellEvent',
      discriminator: '3e2f370aa503dc2a',
      reader: pumpSwapEvents.SellEvent,
      fieldCountMin: pumpSwapEvents.SellEvent.fields.protocol_fee_recipient_token_account + 1,
      decode: (event, context) => poolTradeOf(event, context, false),
    },
    {
      name: 'CreatePoolEvent',
      discriminator: 'b1310cd2a076a774',
      reader: pumpSwapEvents.CreatePoolEvent,
      fieldCountMin: pumpSwapEvents.CreatePoolEvent.fields.pool + 1,
      decode: poolCreationOf,
    },
  ],
}

/** Maps the first four bytes of a discriminator to the kind of event. `kindOf` compares the other four bytes with `end`. */
const kindByStart = (program: ProgramName) =>
  new Map(
    kindsOf[program].map((kind) => {
      const bytes = Buffer.from(kind.discriminator, 'hex')
      return [bytes.readUInt32BE(0), { ...kind, end: bytes.readUInt32BE(4) }] as const
    }),
  )

const kinds = { pump: kindByStart('pump'), 'pump-swap': kindByStart('pump-swap') } as const

function kindOf({ program, payload }: RawEvent) {
  if (payload.view.byteLength < discriminatorBytes) return undefined
  const kind = kinds[program].get(payload.view.getUint32(0))
  return kind?.end === payload.view.getUint32(4) ? kind : undefined
}

/**
 * Decodes an event of any version. Even versions newer than the known ones are decoded, because a new version
 * only appends fields.
 */
export function decodeEvent(event: RawEvent, context: EventContext): DecodedEvent {
  const kind = kindOf(event)
  if (!kind) return ignored
  const { reader } = kind
  reader.read(event.payload)
  if (!reader.isWhole || reader.fieldCount < kind.fieldCountMin)
    return { kind: 'refused', reason: `a ${kind.name} of ${lengthOf(event.payload)} bytes has an unknown version` }
  return kind.decode(event, context)
}

const lengthOf = ({ view }: ViewedBytes): number => view.byteLength
