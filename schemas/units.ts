/** Raw bytes as text: addresses, hashes, pool ids. Lower case on the log. */
export type Hex = `0x${string}`
