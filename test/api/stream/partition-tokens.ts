import { partitionOf } from '../../../infra/log/partition-of.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { address } from '../../projections/derived-log.ts'

const { partitionCount } = chainAStage.derivedTopic

function tokenOf(partition: number): `0x${string}` {
  for (let number = 1; ; number++)
    if (partitionOf(address(number), partitionCount) === partition) return address(number)
}

/** One token of each partition of chain A. */
export const tokensOfPartitions: readonly `0x${string}`[] = Array.from({ length: partitionCount }, (_, partition) =>
  tokenOf(partition),
)
