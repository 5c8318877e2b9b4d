import { OperationError } from '../../../infra/errors.ts'
import type { Node } from './node.ts'

/**
 * The code of a wallet that lets a contract act for it (EIP-7702). Such an address is still a wallet, not a contract.
 */
const delegation = /^0xef0100[0-9a-f]{40}$/i

/** Whether there is a contract at the address now. Fails as `Node.request` does. */
export async function readHasCode(node: Node, address: string, signal: AbortSignal): Promise<boolean> {
  const code = await node.request<unknown>({ method: 'eth_getCode', params: [address, 'latest'] }, signal)
  if (typeof code !== 'string' || !/^0x[0-9a-f]*$/i.test(code))
    throw new OperationError('node_inconsistent', 'the node did not answer eth_getCode with bytes')
  return code !== '0x' && !delegation.test(code)
}
