import { OperationError } from '../../../infra/errors.ts'
import type { Hex } from '../../../schemas/units.ts'
import { addressOf } from '../decode/log-words.ts'
import type { OwnerReader } from '../lookups/owners.ts'
import { askMany } from './ask-many.ts'
import { callContract } from './call-contract.ts'
import type { Node } from './node.ts'

/** `ownerOf(uint256)`: reverts for a number that was never minted, or was burned. */
const ownerOf = '0x6352211e'

export type OwnerReaderOptions = Readonly<{ node: Node; positionManager: Hex }>

/** Asks the position manager for the owners at the end of the block with that hash. */
export function createRpcOwnerReader({ node, positionManager }: OwnerReaderOptions): OwnerReader {
  return async ({ blockHash, positionIds }, signal) => {
    const read = async (positionId: Hex) => {
      const call = { to: positionManager, data: `${ownerOf}${positionId.slice(2)}`, block: blockHash } as const
      const owner = await callContract(node, call, signal)
      return [positionId, owner && ownerIn(owner)] as const
    }
    return new Map(await askMany(positionIds, read))
  }
}

function ownerIn(answer: Hex): Hex {
  const owner = answer.length === 66 ? addressOf(BigInt(answer)) : null
  if (owner === null) throw new OperationError('node_refused', 'the position manager did not answer with an address')
  return owner
}
