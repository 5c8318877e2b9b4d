/** The units of chain B. All its launches have tokens of six decimals. */
export const lamportsPerSol = 1_000_000_000
export const rawPerToken = 1_000_000
