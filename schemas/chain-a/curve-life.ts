/** A curve without a fact for this long is forgotten. If it trades again, it is found again (`CurveFound`). */
export const curveLifeMs = 7 * 24 * 3_600_000
