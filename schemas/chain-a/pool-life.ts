/** 24 h in which a burst can fire, the half hour of its outcome, and an hour to spare: then ingest and stage forget a pool. */
export const poolLifeMs = 25.5 * 3_600_000
