/**
 * Converts exact integers, which ClickHouse returns as text, to the numbers of an API answer. Rounding
 * happens only here.
 */

/**
 * Converts wei to ETH: the double nearest to the wei amount, divided by 1e18. Equal amounts in wei always
 * give equal amounts in ETH.
 */
export const ethOfWei = (wei: string | bigint): number => Number(BigInt(wei)) / 1e18
