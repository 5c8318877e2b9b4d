/** The type of a chain. The general modules of ingest use only this type, so they work for every chain. */
import type { Stage } from '../schemas/stage.ts'
import type { DurationMs, EpochMs } from '../schemas/units.ts'
import type { FollowedTokens } from './followed-tokens.ts'
import type { Lookup } from './lookups/lookup.ts'
import type { ChainSource, ChainTypes, PriceReader } from './source.ts'

/**
 * The properties of a chain that are the same for a real node and a simulator. The functions are declared as
 * methods, so that a list can contain chains of different types. The type has no `Readonly<…>` around it.
 * With this wrapper, TypeScript could not infer the types of a chain from its value.
 */
export type ChainDefinition<Types extends ChainTypes = ChainTypes> = {
  /**
   * The processing stage of this chain. The transactional writer ids contain the stage's name. So the writers
   * of two chains in one Kafka log do not lock each other out.
   */
  readonly stage: Stage<Types['stage']>
  readonly addressBook: AddressBookDefinition<Types>
  /** Returns the id of a fact. A fact that is read again on the same branch has the same id. */
  factIdOf(fact: Types['stage']['fact']): string
  /**
   * Returns the number by which the facts of a block are sorted. In a block, the numbers are strictly
   * ascending. Fractions are allowed.
   */
  orderInBlock(fact: Types['stage']['fact']): number
}

export type Chain<Types extends ChainTypes = ChainTypes> = ChainDefinition<Types> &
  Readonly<{
    source: ChainSource<Types>
    /** Reads the price of the chain's own coin in USD. Null if the chain records no such price. */
    readPrice: PriceReader | null
    /** The additional requests about tokens that ingest makes for this chain. The list may be empty. */
    lookups: readonly Lookup[]
  }>

/**
 * How a chain stores the addresses that it follows. All chains store them on the same compacted Kafka topic,
 * `addresses`.
 */
export type AddressBookDefinition<Types extends ChainTypes = ChainTypes> = Readonly<{
  /**
   * The prefix of the chain's keys on the topic, `<stage name>/`. Each chain reads and removes only keys with
   * its prefix. The oldest chain has an empty prefix, because its first keys were written when there was no
   * other chain. Keys of the oldest chain contain no `/`.
   */
  keyPrefix: string
  /**
   * The time for which an expired entry is kept, in milliseconds. After a reorg, ingest may return to blocks
   * in which the entry had not expired yet.
   */
  forgetAfterMs: DurationMs
  /** Returns the key of an entry, without the prefix. */
  keyOf(record: Types['address']): string
  /**
   * Creates the maps in memory. `followed` are the tokens that chats have recommended. Their entries expire
   * later.
   */
  createMaps(followed?: FollowedTokens): AddressMaps<Types>
}>

/** The address book in memory. Its keys are the results of `keyOf`. */
export type AddressMaps<Types extends ChainTypes = ChainTypes> = Readonly<{
  known: Types['known']
  put(record: Types['address']): void
  drop(key: string): void
  /** Returns the keys of the entries that have expired at this block time. */
  expired(atMs: EpochMs): string[]
}>
