/**
 * A transaction as a node sends it: an object with `transaction` and `meta`, in the encoding `base64`, `json`
 * or `jsonParsed`. The methods getTransaction, getBlock, blockSubscribe and transactionSubscribe send this
 * form. A node may send anything, so every part is checked where it is read.
 */
export type WireTransaction = Readonly<{ transaction?: unknown; meta?: WireMeta | null }>

export type WireMeta = Readonly<{
  err?: unknown
  /** A list of `WireInner`. */
  innerInstructions?: unknown
  /** Lines of text. */
  logMessages?: unknown
  /**
   * The addresses that the transaction takes from lookup tables. Their account indexes follow the indexes of
   * the message's own accounts. The writable addresses come before the readonly ones.
   */
  loadedAddresses?: Readonly<{ writable?: unknown; readonly?: unknown }> | null
}>

/**
 * The calls that programs made during one instruction of the transaction, in the order in which the calls
 * began.
 */
export type WireInner = Readonly<{ index?: unknown; instructions?: unknown }>

/**
 * An instruction. `accounts` are account indexes, or addresses in `jsonParsed`. `data` is in base58. An
 * instruction that the node has parsed has no `data`.
 */
export type WireInstruction = Readonly<{
  programIdIndex?: unknown
  programId?: unknown
  accounts?: unknown
  data?: unknown
}>

/** Returns the objects in a list. Returns null if the value is not a list. */
export function objectsOf<T extends object>(value: unknown): readonly T[] | null {
  return Array.isArray(value) ? value.filter((item) => item !== null && typeof item === 'object') : null
}

/** Returns the value if it is a list of texts, otherwise null. */
export const textsOf = (value: unknown): readonly string[] | null =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : null
