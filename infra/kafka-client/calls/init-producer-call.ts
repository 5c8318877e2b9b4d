/**
 * An InitProducerId request (version 3): the id and epoch of a new producer of a transactional id. kafkajs has only
 * earlier versions, which fence any other producer of the id.
 */
import type { ProducerIdentity, ProtocolCall } from '../kafkajs-parts.ts'
import { compactString, noTags } from './compact-string.ts'

export type InitProducerQuery = Readonly<{
  transactionalId: string
  transactionTimeoutMs: number
  /** The broker refuses unless this is still the newest producer of the id. If null, it fences any producer. */
  after: ProducerIdentity | null
}>

export type InitProducerAnswer = Readonly<{ errorCode: number; identity: ProducerIdentity }>

const initProducerKey = 22
/** The protocol's null. */
const noProducer: ProducerIdentity = { producerId: '-1', producerEpoch: -1 }

export function initProducerCall(query: InitProducerQuery): ProtocolCall<InitProducerAnswer> {
  return {
    request: {
      apiKey: initProducerKey,
      apiVersion: 3,
      apiName: 'InitProducerId',
      encode: async () => {
        const bytes = encodeQuery(query)
        return { buf: bytes, buffer: bytes }
      },
    },
    response: { decode: async (payload) => decodeAnswer(payload), parse: async (answer) => answer },
  }
}

/** The header's tags come before the body, the body's tags after it. */
function encodeQuery({ transactionalId, transactionTimeoutMs, after }: InitProducerQuery): Buffer {
  const { producerId, producerEpoch } = after ?? noProducer
  const numbers = Buffer.alloc(4 + 8 + 2)
  let at = numbers.writeInt32BE(transactionTimeoutMs, 0)
  at = numbers.writeBigInt64BE(BigInt(producerId), at)
  numbers.writeInt16BE(producerEpoch, at)
  return Buffer.concat([noTags, compactString(transactionalId), numbers, noTags])
}

/** After the header's tags: throttle time, error, producer id, epoch. */
function decodeAnswer(payload: Buffer): InitProducerAnswer {
  const at = noTags.length + 4
  return {
    errorCode: payload.readInt16BE(at),
    identity: {
      producerId: String(payload.readBigInt64BE(at + 2)),
      producerEpoch: payload.readInt16BE(at + 10),
    },
  }
}
