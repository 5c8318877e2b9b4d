import type { StageRecord } from '../../schemas/stage.ts'
import type { AddressForm } from './addresses/address-forms.ts'

/** A pool or curve, and its token. Both addresses are in the form of the topic `addresses`. */
export type Market = Readonly<{ market: string; token: string }>

/**
 * The rules by which posts name the tokens of one chain. The functions are declared as methods, so that a
 * table can list chains of different types.
 */
export type TokenNaming<Address extends StageRecord = StageRecord> = {
  readonly forms: readonly AddressForm[]
  /** This service's names of the chain's network, as `read-link.ts` lists them. */
  readonly networks: readonly string[]
  /**
   * Returns the market in a record of the topic `addresses`. Null if the record is about something else or
   * about another chain.
   */
  marketOf(record: Address): Market | null
  /** Converts an address from the form in posts to the form in the topic `addresses`. */
  toBook(address: string): string
  /**
   * Converts a token address from the form in the topic `addresses` to the key of the token's facts in the
   * log.
   */
  toKey(token: string): string
}
