/** A member of a consumer group (the classic protocol): joins, is given partitions, and says that it lives. */
import { setTimeout as delay } from 'node:timers/promises'
import { answerOf, isPassing, logFailure } from './broker-errors.ts'
import type { Connections } from './connections.ts'
import type { Directory } from './directory.ts'
import { type ClientBroker, type JoinedGroup, MemberAssignment, MemberMetadata } from './kafkajs-parts.ts'

export type GroupMemberParts = Readonly<{
  connections: Connections
  directory: Directory
  groupId: string
  topicName: string
  partitionCount: number
  sessionMs: number
}>

/** `unknown`: the broker could not be asked; whether others have our partitions is not known either. */
export type Standing = 'member' | 'rebalancing' | 'lost' | 'unknown'

/** Of our own: a member that would share in another way is refused by the broker. */
const protocolName = 'launch-data-round-robin'
/** How long the broker waits for members to stop their work and come back. */
const rebalanceTimeoutMs = 60_000
const retryPauseMs = 250

export class GroupMember {
  readonly #parts: GroupMemberParts
  readonly #purpose: string
  #memberId = ''
  #generationId = -1

  constructor(parts: GroupMemberParts) {
    this.#parts = parts
    this.#purpose = `group ${parts.groupId}`
  }

  /** Our partitions; null when it is to be tried again. Waits until all members have stopped their work. */
  async join(signal: AbortSignal): Promise<readonly number[] | null> {
    const { groupId, sessionMs, topicName } = this.#parts
    try {
      const query = {
        groupId,
        sessionTimeout: sessionMs,
        rebalanceTimeout: rebalanceTimeoutMs,
        memberId: this.#memberId,
        groupProtocols: [{ name: protocolName, metadata: MemberMetadata.encode({ version: 0, topics: [topicName] }) }],
      }
      const joined = await this.#ask((broker) => broker.joinGroup(query), rebalanceTimeoutMs + 15_000)
      this.#memberId = joined.memberId
      this.#generationId = joined.generationId
      return await this.#assigned(joined)
    } catch (error) {
      if (signal.aborted) return null
      if (this.#standingAfter(error) === 'unknown' && !isPassing(error))
        throw logFailure(`joining the group ${groupId}`, error)
      await delay(retryPauseMs, undefined, { signal }).catch(() => {})
      return null
    }
  }

  async heartbeat(): Promise<Standing> {
    const { groupId } = this.#parts
    const query = { groupId, groupGenerationId: this.#generationId, memberId: this.#memberId }
    try {
      await this.#ask((broker) => broker.heartbeat(query))
      return 'member'
    } catch (error) {
      return this.#standingAfter(error)
    }
  }

  /** Breaks off what waits for the broker. */
  interrupt(): void {
    this.#parts.connections.drop(this.#purpose)
  }

  async leave(): Promise<void> {
    const { groupId } = this.#parts
    const memberId = this.#memberId
    this.#memberId = ''
    // The session ends by itself where this fails.
    if (memberId !== '') await this.#ask((broker) => broker.leaveGroup({ groupId, memberId })).catch(() => {})
  }

  /** The broker makes one member the leader, which shares out for all. */
  async #assigned({ leaderId, memberId, generationId, members }: JoinedGroup): Promise<readonly number[]> {
    const { groupId, topicName } = this.#parts
    const groupAssignment = leaderId === memberId ? this.#shareOut(members.map((member) => member.memberId)) : []
    const { memberAssignment } = await this.#ask((broker) =>
      broker.syncGroup({ groupId, generationId, memberId, groupAssignment }),
    )
    return [...(MemberAssignment.decode(memberAssignment)?.assignment[topicName] ?? [])].sort(
      (left, right) => left - right,
    )
  }

  #shareOut(memberIds: readonly string[]) {
    const { partitionCount, topicName } = this.#parts
    const partitions = Array.from({ length: partitionCount }, (_, partition) => partition)
    return [...memberIds].sort().map((memberId, index) => {
      const its = partitions.filter((partition) => partition % memberIds.length === index)
      return { memberId, memberAssignment: MemberAssignment.encode({ version: 0, assignment: { [topicName]: its } }) }
    })
  }

  async #ask<Answer>(call: (broker: ClientBroker) => Promise<Answer>, timeoutMs?: number): Promise<Answer> {
    const { directory, connections, groupId } = this.#parts
    const node = await directory.coordinatorOf('group', groupId)
    return connections.lane(this.#purpose, node).use(call, timeoutMs)
  }

  #standingAfter(error: unknown): Standing {
    switch (answerOf(error)) {
      case 'REBALANCE_IN_PROGRESS':
        return 'rebalancing'
      case 'UNKNOWN_MEMBER_ID':
        this.#memberId = ''
        return 'lost'
      case 'ILLEGAL_GENERATION':
        return 'lost'
      default:
        this.#parts.directory.forget()
        return 'unknown'
    }
  }
}
