export type RpcCall = Readonly<{ method: string; params: readonly unknown[] }>

/** The maximum size of an answer. A larger answer counts as a refusal, which halves the range. Some nodes have no limit of their own. */
export const answerBytesMax = 64 * 1_048_576
