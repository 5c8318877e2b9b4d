import { isOperationError, OperationError } from '../../../infra/errors.ts'
import type { Address, Hex } from '../../../schemas/units.ts'
import { toHex } from './headers.ts'
import type { Node } from './node.ts'

/** A contract call. If possible, `block` is a hash, so that no answer comes from another branch. */
export type Call = Readonly<{ to: Address; data: Hex; block: Hex | 'latest' }>

/**
 * The gas limit of a call. Calls of honest contracts need a fifth of this gas. Nodes allow much more gas.
 * With that gas, a hostile contract could make every batch time out, or return more bytes than we read.
 */
const gasMax = toHex(500_000)

/**
 * Returns the data that a contract returns. Null if the call reverted or ran out of gas, or if there is no
 * contract. Fails as `Node.request` does. `node_refused` can also mean that the node no longer has the state
 * of that block. `node_inconsistent` means that the answer is not hex. No contract can cause such an answer.
 */
export async function callContract(node: Node, { to, data, block }: Call, signal: AbortSignal): Promise<Hex | null> {
  const at = block === 'latest' ? block : { blockHash: block }
  try {
    const answer = await node.request<unknown>({ method: 'eth_call', params: [{ to, data, gas: gasMax }, at] }, signal)
    if (typeof answer !== 'string' || !/^0x(?:[0-9a-f]{2})*$/i.test(answer))
      throw new OperationError('node_inconsistent', 'the node did not answer eth_call with bytes')
    return answer === '0x' ? null : (answer.toLowerCase() as Hex)
  } catch (error) {
    if (isRevert(error)) return null
    throw error
  }
}

/** The error code of a revert. Some nodes report a revert only in the message. Missing gas is always reported in the message. */
const revertCode = 3

function isRevert(error: unknown): boolean {
  if (!isOperationError(error, 'node_refused')) return false
  return error.context.code === revertCode || /\brevert|out ?of ?gas|OOG\b/i.test(error.message)
}

/** The code of a wallet that has delegated to a contract (EIP-7702). Such an address counts as a wallet. */
const delegation = /^0xef0100[0-9a-f]{40}$/i

/** Whether there is a contract at the address now. Fails as `Node.request` does. */
export async function readHasCode(node: Node, address: string, signal: AbortSignal): Promise<boolean> {
  const code = await node.request<unknown>({ method: 'eth_getCode', params: [address, 'latest'] }, signal)
  if (typeof code !== 'string' || !/^0x[0-9a-f]*$/i.test(code))
    throw new OperationError('node_inconsistent', 'the node did not answer eth_getCode with bytes')
  return code !== '0x' && !delegation.test(code)
}
