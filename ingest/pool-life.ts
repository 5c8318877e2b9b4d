/** Pools leave after this long: 24 h, an open outcome, the shadow that follows it. Their later logs are not read. */
const poolLifeMs = 25.5 * 3_600_000

/** Judged at a block's own time, so that it does not depend on how the past was cut into ranges. */
export const isPoolAlive = (createdAtMs: number, blockAtMs: number): boolean => blockAtMs - createdAtMs <= poolLifeMs
