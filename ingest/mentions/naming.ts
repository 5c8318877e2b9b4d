import type { StageRecord } from '../../schemas/stage.ts'
import type { AddressForm } from './addresses/address-forms.ts'

/** A pool or curve and its token. Both are in the form of the address book. */
export type Market = Readonly<{ market: string; token: string }>

/** How posts name the tokens of a chain. Methods, not properties, because a table lists chains of any types. */
export type TokenNaming<Address extends StageRecord = StageRecord> = {
  readonly forms: readonly AddressForm[]
  /** Our names of the chain, as `networks.ts` lists them. */
  readonly networks: readonly string[]
  /** Null if the entry of the address book is no market, or is one of another chain. */
  marketOf(record: Address): Market | null
  /** Converts an address from the form in posts to that of the address book. */
  toBook(address: string): string
  /** Converts a token from the form of the address book to the key of the chain's facts. */
  toKey(token: string): string
}
