/**
 * Transactions in the encodings `base64`, `json` and `jsonParsed`, as getTransaction, getBlock, blockSubscribe and
 * transactionSubscribe send them: the object with `{ transaction, meta }`. A node may send anything, so every part is
 * checked where it is read.
 */
export type WireTransaction = Readonly<{ transaction?: unknown; meta?: WireMeta | null }>

export type WireMeta = Readonly<{
  err?: unknown
  /** Lists of `WireInner`. */
  innerInstructions?: unknown
  /** Lines of text. */
  logMessages?: unknown
  /** Addresses from lookup tables. Their indexes follow those of the message, the writable ones first. */
  loadedAddresses?: Readonly<{ writable?: unknown; readonly?: unknown }> | null
}>

/** The calls made by an instruction of the transaction, in the order in which they began. */
export type WireInner = Readonly<{ index?: unknown; instructions?: unknown }>

/** Refers to accounts by index, or in `jsonParsed` by address. `data` is base58, and a parsed instruction has none. */
export type WireInstruction = Readonly<{
  programIdIndex?: unknown
  programId?: unknown
  accounts?: unknown
  data?: unknown
}>

/** The objects of a list. Null if it is no list. */
export function objectsOf<T extends object>(value: unknown): readonly T[] | null {
  return Array.isArray(value) ? value.filter((item) => item !== null && typeof item === 'object') : null
}

/** Null unless it is a list of texts. */
export const textsOf = (value: unknown): readonly string[] | null =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : null
