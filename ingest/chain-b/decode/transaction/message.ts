/**
 * Reads the parts of a transaction that ingest needs: its signature, which is its id, and which of its
 * accounts are programs or event authorities.
 */
import { hexOfBase58 } from '../../../../infra/base58.ts'
import type { TxHash } from '../../../../schemas/units.ts'
import { type Role, roleOf, roleOfBytes } from '../programs.ts'

const signatureBytes = 64
const addressBytes = 32

export type Message = Readonly<{
  signature: TxHash
  /**
   * What each account is, by account index: a program whose events ingest reads, or its event authority.
   * Undefined for all other accounts.
   */
  roles: readonly (Role | undefined)[]
}>

/** Reads a transaction in one of the encodings below. Returns null if the value has none of them. */
export function readMessage(transaction: unknown): Message | null {
  if (Array.isArray(transaction)) return readEncoded(transaction)
  return transaction !== null && typeof transaction === 'object' ? readJson(transaction) : null
}

/** Reads a transaction of the form `[bytes, 'base64']`. */
function readEncoded([text, encoding]: readonly unknown[]): Message | null {
  if (typeof text !== 'string' || encoding !== 'base64') return null
  const bytes = Buffer.from(text, 'base64')
  const signatures = countAt(bytes, 0)
  if (signatures === null || signatures.count === 0) return null
  const message = signatures.end + signatures.count * signatureBytes
  const header = headerAt(bytes, message)
  const keys = header === null ? null : countAt(bytes, header + headerBytes)
  if (keys === null || keys.end + keys.count * addressBytes > bytes.length) return null
  const roles = Array.from({ length: keys.count }, (_, index) => {
    const start = keys.end + index * addressBytes
    return roleOfBytes(bytes.subarray(start, start + addressBytes))
  })
  return { signature: `0x${bytes.toString('hex', signatures.end, signatures.end + signatureBytes)}` as const, roles }
}

const headerBytes = 3
const versionFlag = 0x80

/**
 * Returns the offset of the message's header. Legacy messages begin with the header. In other messages, a
 * version byte comes first. Returns null for a version other than 0.
 */
function headerAt(bytes: Buffer, message: number): number | null {
  const first = bytes[message]
  if (first === undefined) return null
  if (first < versionFlag) return message
  return first === versionFlag ? message + 1 : null
}

/**
 * Reads a number in the encoding compact-u16, which has up to three bytes with seven bits each. Returns null
 * if the number is cut off or has more bytes.
 */
function countAt(bytes: Buffer, start: number): Readonly<{ count: number; end: number }> | null {
  let count = 0
  for (let at = 0; at < 3; at++) {
    const byte = bytes[start + at]
    if (byte === undefined) return null
    count |= (byte & 0x7f) << (7 * at)
    if (byte < 0x80) return { count, end: start + at + 1 }
  }
  return null
}

type Json = Readonly<{ signatures?: unknown; message?: Readonly<{ accountKeys?: unknown }> | null }>

/**
 * Reads a transaction in the encoding `json` or `jsonParsed`. In `json`, `accountKeys` are addresses. In
 * `jsonParsed`, they are objects and get no role. Their roles are not needed, because the instructions then
 * contain addresses instead of account indexes.
 */
function readJson({ signatures, message }: Json): Message | null {
  const first: unknown = Array.isArray(signatures) ? signatures[0] : null
  const signature = typeof first === 'string' ? hexOfBase58(first, signatureBytes) : null
  const keys = message?.accountKeys
  if (signature === null || !Array.isArray(keys)) return null
  return { signature, roles: keys.map((key: unknown) => (typeof key === 'string' ? roleOf(key) : undefined)) }
}
