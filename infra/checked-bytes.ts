/**
 * The layout of bytes with a checksum that reveals damage: u32 magic number · u32 CRC-32 of name and body · body.
 * Integers are big-endian. The name is the place where the bytes are stored, so intact bytes in the wrong place count
 * as damaged too.
 */
import { crc32 } from 'node:zlib'
import { OperationError } from './errors.ts'

/**
 * The magic number, with which every stored value with a checksum begins. Values of older versions have no
 * checksum. Their first four bytes differ from the magic number in more than one bit. So one flipped bit
 * cannot make an older value look like a value with a checksum.
 */
const mark = 0xb10c5ede

export const checkedHeaderBytes = 8

/**
 * Writes the magic number and the checksum into the first `checkedHeaderBytes` of `bytes`, which the caller left free.
 * Returns the same buffer.
 */
export function seal(name: string, bytes: Buffer): Buffer {
  bytes.writeUInt32BE(mark, 0)
  bytes.writeUInt32BE(sumOf(name, bytes), 4)
  return bytes
}

export const sealed = (name: string, body: Buffer): Buffer =>
  seal(name, Buffer.concat([Buffer.allocUnsafe(checkedHeaderBytes), body]))

/** Whether the bytes begin with the magic number, and so have a checksum. The checksum may still be wrong. */
export const isSealed = (bytes: Buffer): boolean => bytes.length >= checkedHeaderBytes && bytes.readUInt32BE(0) === mark

/**
 * Returns the body without copying it. Null if a bit of the body, the checksum or the magic number has changed, or if
 * the bytes were stored under another name.
 */
export function unseal(name: string, bytes: Buffer): Buffer | null {
  if (!isSealed(bytes) || bytes.readUInt32BE(4) !== sumOf(name, bytes)) return null
  return bytes.subarray(checkedHeaderBytes)
}

const sumOf = (name: string, bytes: Buffer): number => crc32(bytes.subarray(checkedHeaderBytes), crc32(name))

/** `what` names the damaged place and its file. */
export const logDamaged = (what: string, context: Readonly<Record<string, unknown>>): OperationError =>
  new OperationError(
    'log_corrupt',
    `the log is damaged: ${what}. Stop the service and check the disk. Then restore a backup of DATA_DIR, or start with an empty DATA_DIR`,
    { context },
  )
