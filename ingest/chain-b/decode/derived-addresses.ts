/** Addresses that the programs derive from others, so that we can follow them before an event names them. */
import { type Address, address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit'
import { pumpProgram, pumpSwapProgram, wrappedSolMint } from './programs.ts'
import { tokenPrograms } from './token-account.ts'

const derive = async (program: string, seeds: readonly (string | Uint8Array)[]): Promise<Address> =>
  (await getProgramDerivedAddress({ programAddress: address(program), seeds: [...seeds] }))[0]

const bytesOf = (text: string) => Uint8Array.from(getAddressEncoder().encode(address(text)))

/** The account of a mint's bonding curve. All addresses are in base58. */
export const curveOfMint = (mint: string): Promise<string> => derive(pumpProgram, ['bonding-curve', bytesOf(mint)])

/** All curves of one program migrate into their pool number 0. */
const canonicalIndex = Uint8Array.of(0, 0)

/**
 * The pool into which the mint's curve migrates. Anybody can create other pools of the mint, but with another creator,
 * because only the pump program can sign for this one.
 */
export async function canonicalPoolOf(mint: string, quoteMint = wrappedSolMint): Promise<string> {
  const creator = await derive(pumpProgram, ['pool-authority', bytesOf(mint)])
  const seeds = ['pool', canonicalIndex, bytesOf(creator), bytesOf(mint), bytesOf(quoteMint)]
  return derive(pumpSwapProgram, seeds)
}

const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'

/**
 * The accounts where the owner keeps tokens of the mint, one for each token program, because the address alone does not
 * say which program made the mint.
 */
export const tokenAccountsOf = (owner: string, mint: string): Promise<readonly string[]> =>
  Promise.all(tokenPrograms.map((program) => derive(associatedTokenProgram, [owner, program, mint].map(bytesOf))))
