/** The type of a chain. The generic modules of ingest use only this type, and depend on no single chain. */
import type { Stage } from '../schemas/stage.ts'
import type { DurationMs, EpochMs } from '../schemas/units.ts'
import type { FollowedTokens } from './followed-tokens.ts'
import type { Lookup } from './lookups/lookup.ts'
import type { ChainSource, ChainTypes, PriceReader } from './source.ts'

/**
 * The properties of a chain that do not depend on the source of its facts. The functions are declared as
 * methods, so that a list can have chains of different types. The type has no `Readonly<…>` around it. With
 * this wrapper, TypeScript could not infer the types of a chain from its value.
 */
export type ChainDefinition<Types extends ChainTypes = ChainTypes> = {
  /**
   * The stage of the chain. Writer ids contain the stage's name, so the writers of two chains on one log do
   * not fence each other.
   */
  readonly stage: Stage<Types['stage']>
  readonly addressBook: AddressBookDefinition<Types>
  /** Returns the id of a fact. A fact that is read again on the same branch has the same id. */
  factIdOf(fact: Types['stage']['fact']): string
  /** The sort key of a fact within its block. The keys of a block are strictly ascending. Fractions are allowed. */
  orderInBlock(fact: Types['stage']['fact']): number
}

export type Chain<Types extends ChainTypes = ChainTypes> = ChainDefinition<Types> &
  Readonly<{
    source: ChainSource<Types>
    /** Reads the price of the chain's own coin. Null if the chain's ticks contain no price. */
    readPrice: PriceReader | null
    /** The lookups of the chain. The list may be empty. */
    lookups: readonly Lookup[]
  }>

/** The storage of the followed addresses on the compacted topic `addresses`. All chains share this topic. */
export type AddressBookDefinition<Types extends ChainTypes = ChainTypes> = Readonly<{
  /**
   * The prefix of the chain's keys on the topic, `<stage name>/`. Each chain reads and removes only keys with
   * its prefix. The oldest chain has an empty prefix, because its first keys were written before there was
   * another chain. Keys of the oldest chain contain no `/`.
   */
  keyPrefix: string
  /**
   * The time for which an expired entry is kept. A reorg may go back to blocks in which the entry was still
   * followed.
   */
  forgetAfterMs: DurationMs
  /** Returns the key of an entry, without the prefix. */
  keyOf(record: Types['address']): string
  /** Creates the maps in memory. `followed` are the called tokens, whose entries expire later. */
  createMaps(followed?: FollowedTokens): AddressMaps<Types>
}>

/** The address book in memory. Its keys are the results of `keyOf`. */
export type AddressMaps<Types extends ChainTypes = ChainTypes> = Readonly<{
  known: Types['known']
  put(record: Types['address']): void
  drop(key: string): void
  /** Returns the keys of the entries whose life has ended at this block time. */
  expired(atMs: EpochMs): string[]
}>
