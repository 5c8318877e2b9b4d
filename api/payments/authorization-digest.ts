/** What a buyer signs (EIP-712 of EIP-3009), with all that never changes for a token hashed once. */
import { type Address, hashDomain, keccak256, toHex } from 'viem'

/** Name, version and address are those of the token's EIP-712 domain. */
export type TokenDomain = Readonly<{ name: string; version: string; chainId: number; address: Address }>

export type Authorization = Readonly<{
  from: string
  to: string
  value: bigint
  validAfter: bigint
  validBefore: bigint
  nonce: string
}>

const domainTypes = {
  EIP712Domain: [
    { name: 'name', type: 'string' },
    { name: 'version', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ],
} as const

const typeHash = keccak256(
  toHex(
    'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
  ),
)

/**
 * Addresses, a nonce of 32 bytes and numbers below 2^256 are the caller's to check; a number beyond throws RangeError.
 * The same as the general way through the type declarations, which parses and hashes these for every payment.
 */
export function createAuthorizationDigest(token: TokenDomain): (authorization: Authorization) => `0x${string}` {
  const { name, version, chainId, address } = token
  const domain = { name, version, chainId: BigInt(chainId), verifyingContract: address }
  const separator = hashDomain({ domain, types: domainTypes })
  return ({ from, to, value, validAfter, validBefore, nonce }) => {
    const words = [from, to].map(addressWord).concat([value, validAfter, validBefore].map(numberWord))
    const struct = keccak256(`${typeHash}${words.join('')}${nonce.slice(2)}`)
    return keccak256(`0x1901${separator.slice(2)}${struct.slice(2)}`)
  }
}

const addressWord = (address: string): string => address.slice(2).padStart(64, '0')

function numberWord(value: bigint): string {
  const word = value.toString(16).padStart(64, '0')
  if (word.length > 64) throw new RangeError('a number of more than 256 bits')
  return word
}
