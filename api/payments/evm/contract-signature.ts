/**
 * Signatures of contract wallets. A deployed contract verifies its own signature (ERC-1271). If the contract
 * is not deployed yet, the signature also contains the data that deploys the contract (ERC-6492).
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

/** `deploys`: whether the signature includes the deployment of the contract. */
export type Unwrapped = Readonly<{ signature: Hex; deploys: boolean }>

const wrapperEnd = '6492'.repeat(16)
const wrapper = parseAbiParameters('address factory, bytes factoryCalldata, bytes signature')

/**
 * Returns the inner signature if the signature is an ERC-6492 wrapper that deploys a contract. Returns any other
 * signature unchanged, and null for a malformed wrapper.
 */
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
/** The selector of `isValidSignature`, which a contract returns for a valid signature. */
const signedAnswer = '0x1626ba7e'
/**
 * The gas limit of the call. The payer chooses the contract, and the contract may contain an endless loop.
 * The limit ends such a loop.
 */
const gas = 500_000n

type Question = Readonly<{ contract: Address; hash: Hex; signature: Hex }>

/** Asks the contract whether it signed. Throws if the call fails, for example because it runs out of gas. */
export async function askContractSigner(
  node: Pick<PublicClient, 'call'>,
  { contract, hash, signature }: Question,
): Promise<Signer> {
  const data = encodeFunctionData({ abi: signedAbi, functionName: 'isValidSignature', args: [hash, signature] })
  const { data: answer } = await node.call({ to: contract, data, gas })
  return answer?.startsWith(signedAnswer) ? 'payer' : 'other'
}
