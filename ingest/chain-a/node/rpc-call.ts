export type RpcCall = Readonly<{ method: string; params: readonly unknown[] }>

/**
 * The maximum size of an answer of a node, in bytes. A larger answer counts as a refusal, so ingest requests
 * half as many blocks. This limit is needed because some nodes have none.
 */
export const answerBytesMax = 64 * 1_048_576
