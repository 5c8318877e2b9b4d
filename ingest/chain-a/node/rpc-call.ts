export type RpcCall = Readonly<{ method: string; params: readonly unknown[] }>

/**
 * The maximum size of an answer, in bytes. A larger answer counts as a refusal, so ingest halves the range.
 * Some nodes have no limit of their own.
 */
export const answerBytesMax = 64 * 1_048_576
