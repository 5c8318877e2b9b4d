/** Computes the address of an owner's USDC account, to which payments are made. The account may not exist. */
import { type Address, address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit'
import { svmTokenProgram, svmUsdc } from './names.ts'

const programAddress = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')

export async function tokenAccountOf(owner: string): Promise<Address> {
  const seeds = [owner, svmTokenProgram, svmUsdc].map((part) => getAddressEncoder().encode(address(part)))
  const [account] = await getProgramDerivedAddress({ programAddress, seeds })
  return account
}
