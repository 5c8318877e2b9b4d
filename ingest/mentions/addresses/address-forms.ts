/** Classifies runs of letters and digits as addresses, by their form alone. */
import { hexOfBase58 } from '../../../infra/base58.ts'
import { isWellKnown } from './well-known.ts'

/**
 * The form of an address. `evm`: 0x and 40 hex digits. `pool-id`: 0x and 64 hex digits. `base58`: 32 bytes. Hex is in
 * lower case.
 */
export type AddressForm = 'evm' | 'pool-id' | 'base58'
export type Address = Readonly<{ form: AddressForm; address: string }>

const addressDigits = 40
const poolIdDigits = 64
const base58LengthMin = 32
const base58LengthMax = 44

const isHex = /^[0-9a-f]+$/i
/** Matches the first 0x that does not come right after a hex digit, and the hex digits that follow. */
const prefixed = /(?<![0-9a-f])0x([0-9a-f]+)/i

/** Returns the address in a run of letters and digits. Null if there is none, or if the address is never a token. */
export function addressIn(run: string): Address | null {
  const digits = prefixed.exec(run)?.[1]
  const found = digits === undefined ? base58In(run) : hexIn(digits)
  return found === null || isWellKnown(found.address) ? null : found
}

function hexIn(digits: string): Address | null {
  if (digits.length !== addressDigits && digits.length !== poolIdDigits) return null
  const form = digits.length === addressDigits ? 'evm' : 'pool-id'
  return { form, address: `0x${digits.toLowerCase()}` }
}

function base58In(run: string): Address | null {
  if (run.length < base58LengthMin || run.length > base58LengthMax) return null
  return hexOfBase58(run, 32) === null ? null : { form: 'base58', address: run }
}

/**
 * Returns the address that two runs form together. A single blank must separate the runs in the text. Null if
 * one of the runs alone is an address, or if the joined text has the wrong length or letters.
 */
export function joinedAddress(first: string, second: string): Address | null {
  const length = first.length + second.length
  if (length > poolIdDigits + 2 || length < base58LengthMin) return null
  if (addressIn(first) !== null || addressIn(second) !== null) return null
  const joined = first + second
  if (/^0x/i.test(first)) return isHex.test(first.slice(2)) && isHex.test(second) ? addressIn(joined) : null
  // A base58 address mixes digits, capitals and small letters. Two words of prose do not.
  return /\d/.test(joined) && /[a-z]/.test(joined) && /[A-Z]/.test(joined) ? addressIn(joined) : null
}
