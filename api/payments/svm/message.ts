/**
 * The bytes of a Solana transaction, read in place. Only the one way to write a transaction is taken: lengths in as few bytes
 * as they need, nothing left over, every account in the message itself. Some 10 us, where the packages take a hundred times
 * as long: anybody can send transactions that are nothing.
 */
export type SvmTransaction = Readonly<{
  /** In the order of the accounts that sign, the first ones. */
  signatures: readonly Buffer[]
  messageBytes: Buffer
  accounts: readonly Buffer[]
  blockhash: Buffer
  instructions: readonly SvmInstruction[]
}>

export type SvmInstruction = Readonly<{ program: Buffer; accounts: readonly Buffer[]; data: Buffer }>

const signatureBytes = 64
const addressBytes = 32

/** Null: it is no transaction, or not written in this way. */
export function readSvmTransaction(bytes: Buffer): SvmTransaction | null {
  try {
    return read(createCursor(bytes))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function read(cursor: Cursor): SvmTransaction {
  const signatures = Array.from({ length: cursor.length() }, () => cursor.bytes(signatureBytes))
  const messageBytes = cursor.rest()
  const first = cursor.byte()
  // The highest bit says that it is a version: 0 is the only one.
  const isVersioned = first === 0x80
  const signerCount = isVersioned ? cursor.byte() : first
  const readonlySigners = cursor.byte()
  const readonlyOthers = cursor.byte()
  const accounts = Array.from({ length: cursor.length() }, () => cursor.bytes(addressBytes))
  const blockhash = cursor.bytes(addressBytes)
  const instructions = Array.from({ length: cursor.length() }, () => readInstruction(cursor, accounts))
  const tables = isVersioned ? cursor.length() : 0
  const isWhole = cursor.isAtEnd() && tables === 0
  const isConsistent =
    signerCount === signatures.length &&
    readonlySigners < signerCount &&
    signerCount + readonlyOthers <= accounts.length
  const isDistinct = new Set(accounts.map((account) => account.toString('latin1'))).size === accounts.length
  if (!isWhole || !isConsistent || !isDistinct) throw new RangeError('not a transaction')
  return { signatures, messageBytes, accounts, blockhash, instructions }
}

function readInstruction(cursor: Cursor, all: readonly Buffer[]): SvmInstruction {
  const accountAt = (index: number): Buffer => {
    const account = all[index]
    if (account === undefined) throw new RangeError('no such account')
    return account
  }
  const program = accountAt(cursor.byte())
  const accounts = Array.from({ length: cursor.length() }, () => accountAt(cursor.byte()))
  return { program, accounts, data: cursor.bytes(cursor.length()) }
}

/** Every step fails with a RangeError beyond the end. */
type Cursor = Readonly<{
  byte: () => number
  bytes: (count: number) => Buffer
  /** At most 16 bits, seven in a byte, the lowest first. */
  length: () => number
  rest: () => Buffer
  isAtEnd: () => boolean
}>

function createCursor(all: Buffer): Cursor {
  let at = 0
  const byte = () => all.readUInt8(at++)
  return {
    byte,
    bytes: (count) => {
      if (at + count > all.length) throw new RangeError('too short')
      at += count
      return all.subarray(at - count, at)
    },
    length: () => {
      let value = 0
      for (let shift = 0; shift <= 14; shift += 7) {
        const next = byte()
        value |= (next & 0x7f) << shift
        if (next >= 0x80) continue
        if ((next === 0 && shift > 0) || value > 0xffff) break
        // Each of them takes a byte at least: what cannot be there is not made room for.
        if (value > all.length - at) throw new RangeError('too short')
        return value
      }
      throw new RangeError('a length is written in another way')
    },
    rest: () => all.subarray(at),
    isAtEnd: () => at === all.length,
  }
}
