/** A mint without a fact for this long is forgotten, by ingest and stage. If it trades again, it is found again (`CurveFound`). */
export const curveLifeMs = 24 * 3_600_000

/** A graduated mint is followed for this long after its curve was complete. */
export const graduatedLifeMs = 65 * 60_000
