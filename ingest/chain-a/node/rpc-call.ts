export type RpcCall = Readonly<{ method: string; params: readonly unknown[] }>

/** A larger answer counts as a refusal, which halves the range: nodes may have no limit of their own. */
export const answerBytesMax = 64 * 1_048_576
