export const minutesBetween = (fromMs: number, toMs: number): number => (toMs - fromMs) / 60_000
