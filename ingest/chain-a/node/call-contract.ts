import { isOperationError, OperationError } from '../../../infra/errors.ts'
import type { Address, Hex } from '../../../schemas/units.ts'
import { toHex } from './headers.ts'
import type { Node } from './node.ts'

/** `block` is a hash, so that another branch cannot answer. */
export type Call = Readonly<{ to: Address; data: Hex; block: Hex | 'latest' }>

/**
 * Honest calls need a fifth of this. Any contract may be called. With as much gas as nodes allow, a batch of calls
 * could exceed the timeout every time, or return more than we read of an answer.
 */
const gasMax = toHex(500_000)

/**
 * The return data of a contract. Null if the call reverted or ran out of gas, or there is no contract. Fails as
 * `Node.request` does, with `node_refused` also when the node no longer has the state of that block, and with
 * `node_inconsistent` when the answer is not bytes, which no contract can cause.
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

/** Error code of a revert. Some nodes report a revert in words only, and all nodes report missing gas in words. */
const revertCode = 3

function isRevert(error: unknown): boolean {
  if (!isOperationError(error, 'node_refused')) return false
  return error.context.code === revertCode || /\brevert|out ?of ?gas|OOG\b/i.test(error.message)
}

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
