/**
 * An InitProducerId request (version 3). The answer has the id and epoch of a new producer of a transactional
 * id. kafkajs has only earlier versions of this request. They cannot name the producer to replace, so they
 * fence every producer of the id.
 */
import type { ProducerIdentity, ProtocolCall } from '../kafkajs-parts.ts'
import { compactString, noTags } from './compact-string.ts'

export type InitProducerQuery = Readonly<{
  transactionalId: string
  transactionTimeoutMs: number
  /**
   * The producer that the new producer replaces. The broker refuses the request if the id has a newer
   * producer. If null, the broker fences the newest producer in every case.
   */
  after: ProducerIdentity | null
}>

export type InitProducerAnswer = Readonly<{ errorCode: number; identity: ProducerIdentity }>

const initProducerKey = 22
/** The identity that means "no producer" in the protocol. */
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

/** Encodes a query. The tags of the header come before the body, and the tags of the body after it. */
function encodeQuery({ transactionalId, transactionTimeoutMs, after }: InitProducerQuery): Buffer {
  const { producerId, producerEpoch } = after ?? noProducer
  const numbers = Buffer.alloc(4 + 8 + 2)
  let at = numbers.writeInt32BE(transactionTimeoutMs, 0)
  at = numbers.writeBigInt64BE(BigInt(producerId), at)
  numbers.writeInt16BE(producerEpoch, at)
  return Buffer.concat([noTags, compactString(transactionalId), numbers, noTags])
}

/** Decodes an answer. After the tags of the header come throttle time, error, producer id and epoch. */
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
