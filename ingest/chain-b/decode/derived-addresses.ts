/**
 * Computes addresses that the programs derive from other addresses. With them, ingest can follow an account
 * before any event names the account. All addresses here are in base58.
 */
import { type Address, address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit'
import { pumpProgram, pumpSwapProgram, wrappedSolMint } from './programs.ts'
import { tokenPrograms } from './token-account.ts'

const derive = async (program: string, seeds: readonly (string | Uint8Array)[]): Promise<Address> =>
  (await getProgramDerivedAddress({ programAddress: address(program), seeds: [...seeds] }))[0]

const bytesOf = (text: string) => Uint8Array.from(getAddressEncoder().encode(address(text)))

/** The account of a mint's bonding curve. */
export const curveOfMint = (mint: string): Promise<string> => derive(pumpProgram, ['bonding-curve', bytesOf(mint)])

/** The index of the pool into which a curve migrates, as u16: always 0. */
const canonicalIndex = Uint8Array.of(0, 0)

/**
 * Returns the address of the pool into which the mint's curve migrates. The address depends on the creator of
 * the pool. Only the pump program can sign as this creator, so nobody else can create a pool at this address.
 */
export async function canonicalPoolOf(mint: string, quoteMint = wrappedSolMint): Promise<string> {
  const creator = await derive(pumpProgram, ['pool-authority', bytesOf(mint)])
  const seeds = ['pool', canonicalIndex, bytesOf(creator), bytesOf(mint), bytesOf(quoteMint)]
  return derive(pumpSwapProgram, seeds)
}

const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'

/**
 * Returns the owner's associated token accounts for the mint, one for each token program. Both are needed,
 * because the mint's address does not show which token program owns the mint.
 */
export const tokenAccountsOf = (owner: string, mint: string): Promise<readonly string[]> =>
  Promise.all(tokenPrograms.map((program) => derive(associatedTokenProgram, [owner, program, mint].map(bytesOf))))
