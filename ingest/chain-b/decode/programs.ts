/**
 * The two programs whose events ingest reads: pump has the curves, and PumpSwap has the pools of graduated
 * mints.
 */
import { bytesOfBase58 } from '../../../infra/base58.ts'
import type { Address } from '../../../schemas/units.ts'

export type ProgramName = 'pump' | 'pump-swap'

/**
 * What an address is: one of the programs, or the event authority of a program. The event authority is an
 * address for which only the program itself can sign.
 */
export type Role = Readonly<{ program: ProgramName; is: 'program' | 'event-authority' }>

export const pumpProgram = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'
export const pumpSwapProgram = 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA'

const roles: ReadonlyMap<string, Role> = new Map<string, Role>([
  [pumpProgram, { program: 'pump', is: 'program' }],
  ['Ce6TQqeHC9p8KetsN6JsjHK7UTZk7nasjjnr7XxXp9F1', { program: 'pump', is: 'event-authority' }],
  [pumpSwapProgram, { program: 'pump-swap', is: 'program' }],
  ['GS4CU59F31iL7aR2Q8zVS8DRrcRnXX1yjQ66TqNVQnaR', { program: 'pump-swap', is: 'event-authority' }],
])

export const roleOf = (address: string): Role | undefined => roles.get(address)

const roleBytes = [...roles].map(([address, role]) => ({ bytes: bytesOfBase58(address) ?? Buffer.alloc(0), role }))

export const roleOfBytes = (address: Buffer): Role | undefined =>
  roleBytes.find(({ bytes }) => bytes.equals(address))?.role

export const wrappedSolMint = 'So11111111111111111111111111111111111111112'

/** The mints that mean SOL in events: curves use the zero address, pools use the mint of wrapped SOL. */
const solMints: readonly Address[] = ['1'.repeat(32), wrappedSolMint].map(
  (mint): Address => `0x${bytesOfBase58(mint)?.toString('hex')}` as const,
)

/**
 * Returns the quote mint of an event. Null means SOL. In old events `mint` is null, because SOL was then the
 * only quote coin.
 */
export const quoteMintOf = (mint: Address | null): Address | null =>
  mint === null || solMints.includes(mint) ? null : mint
