import { isOperationError } from '../../../infra/errors.ts'
import type { Hex } from '../../../schemas/units.ts'
import { toHex } from './headers.ts'
import type { Node } from './node.ts'

/** `block`: a block's hash, so that another branch cannot answer. */
export type CallPlace = Readonly<{ to: Hex; data: Hex; block: Hex | 'latest' }>

/**
 * All that a call may burn; honest ones need a fifth. Who is called may be anybody: with as much as nodes allow, the calls of
 * one batch could run for longer than an answer is waited for, again and again, or answer more than is read of it.
 */
const gasMax = toHex(500_000)

/**
 * What a contract answers. Null: it reverted or used up its gas, or there is no contract. Fails as `Node.request` does:
 * `node_refused` also where the node does not have the state of that block any more.
 */
export async function callContract(
  node: Node,
  { to, data, block }: CallPlace,
  signal: AbortSignal,
): Promise<Hex | null> {
  const place = block === 'latest' ? block : { blockHash: block }
  try {
    const answer = await node.request<unknown>(
      { method: 'eth_call', params: [{ to, data, gas: gasMax }, place] },
      signal,
    )
    return typeof answer === 'string' && /^0x[0-9a-f]+$/i.test(answer) ? (answer.toLowerCase() as Hex) : null
  } catch (error) {
    if (isRevert(error)) return null
    throw error
  }
}

/** 3 is the code for a revert; some nodes say it in words only, and all of them that there was not enough gas. */
const revertCode = 3

function isRevert(error: unknown): boolean {
  if (!isOperationError(error, 'node_refused')) return false
  return error.context.code === revertCode || /\brevert|out ?of ?gas|OOG\b/i.test(error.message)
}
