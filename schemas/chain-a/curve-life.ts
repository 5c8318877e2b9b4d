/** Without a trade for this long a curve is forgotten; one that trades after it is found anew. */
export const curveLifeMs = 7 * 24 * 3_600_000
