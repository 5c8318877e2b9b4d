/** The transaction coordinator of a Kafka cluster in memory. */
import { codes, type Partition } from './partition.ts'

type Transaction = {
  producerId: bigint
  epoch: number
  /**
   * The epoch before the current producer was opened. If the request that opened the producer is repeated, it
   * gets the same epoch again.
   */
  previousEpoch: number
  state: string
  /** The partitions in the open transaction, each as `topic/partition`. */
  partitions: Set<string>
}
type Identity = Readonly<{ transactionalId: string; producerId: bigint; epoch: number }>

const noProducer = -1n

export function createCoordinator(partitionOf: (id: string) => Partition) {
  const transactions = new Map<string, Transaction>()
  /** The partitions in which transaction markers are lost. */
  const losing = new Set<string>()

  const finish = (transaction: Transaction, isCommit: boolean) => {
    for (const id of transaction.partitions)
      if (!losing.has(id)) partitionOf(id).mark(transaction.producerId, transaction.epoch, isCommit)
    transaction.partitions = new Set()
    transaction.state = isCommit ? 'CompleteCommit' : 'CompleteAbort'
  }
  const refusalOf = (identity: Identity): number => {
    const known = transactions.get(identity.transactionalId)
    if (known?.producerId !== identity.producerId) return codes.invalidMapping
    return known.epoch === identity.epoch ? 0 : codes.invalidEpoch
  }

  return {
    losing,
    setState(transactionalId: string, state: string) {
      const known = transactions.get(transactionalId)
      transactions.set(transactionalId, { ...(known ?? created(transactions.size)), state })
    },
    stateOf: (transactionalId: string) => transactions.get(transactionalId)?.state ?? null,
    isPartOf: (transactionalId: string, partitionId: string) =>
      transactions.get(transactionalId)?.partitions.has(partitionId) === true,
    init({ transactionalId, producerId, epoch }: Identity) {
      const known = transactions.get(transactionalId) ?? created(transactions.size)
      const isNamed = producerId !== noProducer
      const answered = (errorCode: number) => ({ errorCode, producerId: known.producerId, epoch: known.epoch })
      if (isNamed && producerId === known.producerId && epoch === known.previousEpoch) return answered(0)
      if (isNamed && (producerId !== known.producerId || epoch !== known.epoch))
        return { errorCode: codes.invalidEpoch, producerId: -1n, epoch: -1 }
      known.previousEpoch = isNamed ? epoch : -2
      known.epoch++
      if (known.state === 'Ongoing') finish(known, false)
      known.state = 'Empty'
      transactions.set(transactionalId, known)
      return answered(0)
    },
    add(identity: Identity, partitionIds: readonly string[]): number {
      const refusal = refusalOf(identity)
      const transaction = transactions.get(identity.transactionalId)
      if (refusal !== 0 || !transaction) return refusal
      transaction.state = 'Ongoing'
      for (const id of partitionIds) transaction.partitions.add(id)
      return 0
    },
    end(identity: Identity, isCommit: boolean): number {
      const refusal = refusalOf(identity)
      const transaction = transactions.get(identity.transactionalId)
      if (refusal !== 0 || !transaction) return refusal
      if (transaction.state === (isCommit ? 'CompleteCommit' : 'CompleteAbort')) return 0
      if (transaction.state !== 'Ongoing') return codes.invalidState
      finish(transaction, isCommit)
      return 0
    },
  }
}

/** Creates the state of a transactional id. Each id has its own producer id, and the first epoch is 0. */
const created = (index: number): Transaction => ({
  ...{ producerId: BigInt(4000 + index), epoch: -1, previousEpoch: -2, state: 'Empty', partitions: new Set<string>() },
})
