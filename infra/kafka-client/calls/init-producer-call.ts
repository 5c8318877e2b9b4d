/**
 * An InitProducerId request (version 3): a producer's number and epoch under a transactional id. The client that this stands
 * on knows only versions that take the id from whoever has it.
 */
import type { Producer as ProducerIdentity, ProtocolCall } from '../kafkajs-parts.ts'
import { compactString, noTags } from './compact-string.ts'

export type InitProducerQuery = Readonly<{
  transactionalId: string
  transactionTimeoutMs: number
  /** Who had the id last, as far as the asker knows: answered only where nobody has taken it since. Null: in any case. */
  after: ProducerIdentity | null
}>

export type InitProducerAnswer = Readonly<{ errorCode: number; identity: ProducerIdentity }>

const initProducerKey = 22
/** Number and epoch of nobody. */
const nobody: ProducerIdentity = { producerId: '-1', producerEpoch: -1 }

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

/** The header's tags, of which there are none, stand before the body, and the body's behind it. */
function encodeQuery({ transactionalId, transactionTimeoutMs, after }: InitProducerQuery): Buffer {
  const { producerId, producerEpoch } = after ?? nobody
  const numbers = Buffer.alloc(4 + 8 + 2)
  let at = numbers.writeInt32BE(transactionTimeoutMs, 0)
  at = numbers.writeBigInt64BE(BigInt(producerId), at)
  numbers.writeInt16BE(producerEpoch, at)
  return Buffer.concat([noTags, compactString(transactionalId), numbers, noTags])
}

/** After the header's tags: how long the client was held up, error, number, epoch. */
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
