/** The number of smallest units per SOL and per token on chain B. Every launched token has six decimals. */
export const lamportsPerSol = 1_000_000_000
export const rawPerToken = 1_000_000
