import type { StageRecord } from '../../schemas/stage.ts'
import type { AddressForm } from './addresses/address-forms.ts'

/** A pool or curve, and the token that it sells. Both as the address book writes them. */
export type Market = Readonly<{ market: string; token: string }>

/** How posts name the tokens of a chain. Methods, not properties: a table lists chains of any types. */
export type TokenNaming<Address extends StageRecord = StageRecord> = {
  readonly forms: readonly AddressForm[]
  /** Our names of the chain, as `networks.ts` lists them. */
  readonly networks: readonly string[]
  /** Null: the entry of the address book is no market, or one of another chain. */
  marketOf(record: Address): Market | null
  /** From an address as posts write it to the address book's way. */
  toBook(address: string): string
  /** From the address book's way to the key of the chain's facts. */
  toKey(token: string): string
}
