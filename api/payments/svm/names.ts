/** The identifiers of Solana that payments use. This file does not load the Solana packages, which load slowly. */

/** Solana mainnet, named by the beginning of its genesis hash. */
export const svmNetwork = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' as const
export const svmUsdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
export const svmTokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
