/**
 * Signatures of contracts. A contract says itself whether it signed (ERC-1271), and one that is not deployed yet may be
 * deployed by what its signature is wrapped in (ERC-6492).
 */
import {
  type Address,
  decodeAbiParameters,
  encodeFunctionData,
  type Hex,
  type PublicClient,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
} from 'viem'
import type { Signer } from '../payment-network.ts'

/** `deploys`: the signature brings along what deploys the contract. */
export type Unwrapped = Readonly<{ signature: Hex; deploys: boolean }>

const wrapperEnd = '6492'.repeat(16)
const wrapper = parseAbiParameters('address factory, bytes factoryCalldata, bytes signature')

/** What an ERC-6492 wrapper holds, and any other signature as it is. Null: the wrapper cannot be read, by nobody. */
export function unwrapSignature(text: string): Unwrapped | null {
  const signature = text.toLowerCase() as Hex
  if (!signature.endsWith(wrapperEnd)) return { signature, deploys: false }
  try {
    const [factory, calldata, inner] = decodeAbiParameters(wrapper, signature.slice(0, -wrapperEnd.length) as Hex)
    const deploys = factory !== zeroAddress && calldata !== '0x'
    return { signature: deploys ? inner : signature, deploys }
  } catch {
    return null
  }
}

const signedAbi = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
/** The function's own selector. */
const signedAnswer = '0x1626ba7e'
/** Whoever pays chooses the contract: an endless loop ends with this. */
const gas = 500_000n

type Question = Readonly<{ contract: Address; hash: Hex; signature: Hex }>

/** `unknown`: it did not answer within its gas, or the node did not. */
export async function askContractSigner(
  node: Pick<PublicClient, 'call'>,
  { contract, hash, signature }: Question,
): Promise<Signer> {
  const data = encodeFunctionData({ abi: signedAbi, functionName: 'isValidSignature', args: [hash, signature] })
  const { data: answer } = await node.call({ to: contract, data, gas })
  return answer?.startsWith(signedAnswer) ? 'payer' : 'other'
}
