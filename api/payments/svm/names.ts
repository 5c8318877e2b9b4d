/** Solana identifiers that payments use, kept apart from code that loads the Solana packages. */

/** Solana mainnet, named by the beginning of its genesis hash. */
export const svmNetwork = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' as const
export const svmUsdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
export const svmTokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
