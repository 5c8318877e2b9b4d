/** Addresses that the programs derive from others, so that they can be followed before an event names them. */
import { type Address, address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit'
import { pumpProgram, pumpSwapProgram, wrappedSolMint } from './programs.ts'
import { tokenPrograms } from './token-account.ts'

const derive = async (program: string, seeds: readonly (string | Uint8Array)[]): Promise<Address> =>
  (await getProgramDerivedAddress({ programAddress: address(program), seeds: [...seeds] }))[0]

const bytesOf = (text: string) => Uint8Array.from(getAddressEncoder().encode(address(text)))

/** The account of a mint's bonding curve. All addresses are in base58. */
export const curveOfMint = (mint: string): Promise<string> => derive(pumpProgram, ['bonding-curve', bytesOf(mint)])

/** The curves of one program all migrate into their pool number 0. */
const canonicalIndex = Uint8Array.of(0, 0)

/**
 * The pool that the mint's curve migrates into. Anybody can create other pools of the mint; they differ in the creator,
 * which only the pump program can sign for.
 */
export async function canonicalPoolOf(mint: string, quoteMint = wrappedSolMint): Promise<string> {
  const creator = await derive(pumpProgram, ['pool-authority', bytesOf(mint)])
  const seeds = ['pool', canonicalIndex, bytesOf(creator), bytesOf(mint), bytesOf(quoteMint)]
  return derive(pumpSwapProgram, seeds)
}

const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'

/** Where the owner keeps tokens of the mint, one account for each token program: the address alone does not say which one made the mint. */
export const tokenAccountsOf = (owner: string, mint: string): Promise<readonly string[]> =>
  Promise.all(tokenPrograms.map((program) => derive(associatedTokenProgram, [owner, program, mint].map(bytesOf))))
