export const minuteMs = 60_000

export const minutesBetween = (fromMs: number, toMs: number): number => (toMs - fromMs) / minuteMs
