/** When ingest and stage forget a pool: bursts can fire for 24 h, an outcome takes half an hour, and one hour is spare. */
export const poolLifeMs = 25.5 * 3_600_000
