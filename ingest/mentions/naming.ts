import type { StageRecord } from '../../schemas/stage.ts'
import type { AddressForm } from './addresses/address-forms.ts'

/** A pool or curve, and its token, in the form of the address book. */
export type Market = Readonly<{ market: string; token: string }>

/**
 * The rules by which posts name the tokens of a chain. The functions are declared as methods, so that a table
 * can list chains of different types.
 */
export type TokenNaming<Address extends StageRecord = StageRecord> = {
  readonly forms: readonly AddressForm[]
  /** Our names of the chain's network, as `read-link.ts` lists them. */
  readonly networks: readonly string[]
  /** Returns the market of an entry of the address book. Null if the entry is no market, or is of another chain. */
  marketOf(record: Address): Market | null
  /** Converts an address from the form in posts to the form of the address book. */
  toBook(address: string): string
  /** Converts a token from the form of the address book to the key of the chain's facts. */
  toKey(token: string): string
}
