/** Text of exact integers, as ClickHouse gives them, to the numbers of an answer. The only place that rounds. */

/** Wei to ETH: the double nearest to the wei, then divided; the same for equal wei wherever it is shown. */
export const ethOfWei = (wei: string | bigint): number => Number(BigInt(wei)) / 1e18
