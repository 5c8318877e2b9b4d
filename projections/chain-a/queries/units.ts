/** Converts exact integers, which ClickHouse returns as text, to the numbers of an answer. Rounding happens only here. */

/** Converts wei to ETH: the double nearest to the wei, divided by 1e18. Equal wei always give equal ETH. */
export const ethOfWei = (wei: string | bigint): number => Number(BigInt(wei)) / 1e18
