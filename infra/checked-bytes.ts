/**
 * Bytes that detect their own damage: u32 mark · u32 CRC-32 of name and body · body. Big-endian. The name is the place
 * where they are stored, so intact bytes in the wrong place count as damaged too.
 */
import { crc32 } from 'node:zlib'
import { OperationError } from './errors.ts'

/**
 * Nothing that was stored without a checksum begins with this mark, and no single flipped bit turns one into the other.
 */
const mark = 0xb10c5ede

export const checkedHeaderBytes = 8

/** Fills in the first `checkedHeaderBytes`, which the caller left free. Does not copy the bytes. */
export function seal(name: string, bytes: Buffer): Buffer {
  bytes.writeUInt32BE(mark, 0)
  bytes.writeUInt32BE(sumOf(name, bytes), 4)
  return bytes
}

export const sealed = (name: string, body: Buffer): Buffer =>
  seal(name, Buffer.concat([Buffer.allocUnsafe(checkedHeaderBytes), body]))

/** Whether the bytes claim to have a checksum, right or wrong. */
export const isSealed = (bytes: Buffer): boolean => bytes.length >= checkedHeaderBytes && bytes.readUInt32BE(0) === mark

/**
 * The body, in place. Null if a bit of it, of its checksum or of its mark has changed, or if it was stored under
 * another name.
 */
export function unseal(name: string, bytes: Buffer): Buffer | null {
  if (!isSealed(bytes) || bytes.readUInt32BE(4) !== sumOf(name, bytes)) return null
  return bytes.subarray(checkedHeaderBytes)
}

const sumOf = (name: string, bytes: Buffer): number => crc32(bytes.subarray(checkedHeaderBytes), crc32(name))

/** `what` names the place and the file. */
export const logDamaged = (what: string, context: Readonly<Record<string, unknown>>): OperationError =>
  new OperationError(
    'log_corrupt',
    `the log is damaged: ${what}. Stop the service, check the disk, then restore a backup of DATA_DIR or start with an empty one`,
    { context },
  )
