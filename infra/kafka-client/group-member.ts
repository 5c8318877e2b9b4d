/** A member of a consumer group (classic protocol): joins, gets partitions and sends heartbeats. */
import { setTimeout as delay } from 'node:timers/promises'
import { AssignerProtocol } from 'kafkajs'
import { answerOf, clusterFailure, isPassing } from './broker-errors.ts'
import type { Connections } from './connections.ts'
import type { Directory } from './directory.ts'
import type { JoinedGroup, KafkajsBroker } from './kafkajs-parts.ts'

export type GroupMemberDependencies = Readonly<{
  connections: Connections
  directory: Directory
  groupId: string
  topicName: string
  partitionCount: number
  sessionMs: number
}>

/**
 * The state of this member in its group:
 * - `member`: the coordinator accepts its heartbeats
 * - `rebalancing`: the coordinator waits for all members to join again
 * - `lost`: the coordinator no longer knows this member or its generation
 * - `unknown`: the coordinator gave no usable answer, so another member may have the partitions
 */
export type Membership = 'member' | 'rebalancing' | 'lost' | 'unknown'

/**
 * The name of our assignment protocol. The broker refuses members with another protocol, so no other client can join
 * the group.
 */
const protocolName = 'launch-data-round-robin'
/**
 * The time for which the broker waits in a rebalance until members have stopped their work and rejoined, in
 * milliseconds.
 */
const rebalanceTimeoutMs = 60_000
const retryPauseMs = 250

export class GroupMember {
  readonly #dependencies: GroupMemberDependencies
  readonly #purpose: string
  #memberId = ''
  #generationId = -1

  constructor(dependencies: GroupMemberDependencies) {
    this.#dependencies = dependencies
    this.#purpose = `group ${dependencies.groupId}`
  }

  /**
   * Joins the group and returns this member's partitions. Waits until all members have stopped their work. If the
   * result is null, the caller must call `join` again.
   */
  async join(signal: AbortSignal): Promise<readonly number[] | null> {
    const { groupId, sessionMs, topicName } = this.#dependencies
    try {
      const query = {
        groupId,
        sessionTimeout: sessionMs,
        rebalanceTimeout: rebalanceTimeoutMs,
        memberId: this.#memberId,
        groupProtocols: [{ name: protocolName, metadata: metadataOf(topicName) }],
      }
      const joined = await this.#ask((broker) => broker.joinGroup(query), rebalanceTimeoutMs + 15_000)
      this.#memberId = joined.memberId
      this.#generationId = joined.generationId
      return await this.#assigned(joined)
    } catch (error) {
      if (signal.aborted) return null
      if (this.#standingAfter(error) === 'unknown' && !isPassing(error))
        throw clusterFailure(`joining the group ${groupId}`, error)
      await delay(retryPauseMs, undefined, { signal }).catch(() => {})
      return null
    }
  }

  async heartbeat(): Promise<Membership> {
    const { groupId } = this.#dependencies
    const query = { groupId, groupGenerationId: this.#generationId, memberId: this.#memberId }
    try {
      await this.#ask((broker) => broker.heartbeat(query))
      return 'member'
    } catch (error) {
      return this.#standingAfter(error)
    }
  }

  /** Closes the connections of this member, so that a pending request fails. */
  interrupt(): void {
    this.#dependencies.connections.drop(this.#purpose)
  }

  async leave(): Promise<void> {
    const { groupId } = this.#dependencies
    const memberId = this.#memberId
    this.#memberId = ''
    // If the request fails, the broker removes the member when the session times out.
    if (memberId !== '') await this.#ask((broker) => broker.leaveGroup({ groupId, memberId })).catch(() => {})
  }

  /**
   * Returns this member's partitions. The broker chooses one member as the leader of the group. The leader
   * assigns the partitions of all members.
   */
  async #assigned({ leaderId, memberId, generationId, members }: JoinedGroup): Promise<readonly number[]> {
    const { groupId, topicName } = this.#dependencies
    const groupAssignment = leaderId === memberId ? this.#assign(members.map((member) => member.memberId)) : []
    const { memberAssignment } = await this.#ask((broker) =>
      broker.syncGroup({ groupId, generationId, memberId, groupAssignment }),
    )
    const assignment = AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment[topicName] ?? []
    return [...assignment].sort((left, right) => left - right)
  }

  #assign(memberIds: readonly string[]) {
    const { partitionCount, topicName } = this.#dependencies
    const partitions = Array.from({ length: partitionCount }, (_, partition) => partition)
    return [...memberIds].sort().map((memberId, index) => {
      const its = partitions.filter((partition) => partition % memberIds.length === index)
      return { memberId, memberAssignment: assignmentOf(topicName, its) }
    })
  }

  async #ask<Answer>(call: (broker: KafkajsBroker) => Promise<Answer>, timeoutMs?: number): Promise<Answer> {
    const { directory, connections, groupId } = this.#dependencies
    const node = await directory.coordinatorOf('group', groupId)
    return connections.to(this.#purpose, node).use(call, timeoutMs)
  }

  #standingAfter(error: unknown): Membership {
    switch (answerOf(error)) {
      case 'REBALANCE_IN_PROGRESS':
        return 'rebalancing'
      case 'UNKNOWN_MEMBER_ID':
        this.#memberId = ''
        return 'lost'
      case 'ILLEGAL_GENERATION':
        return 'lost'
      default:
        this.#dependencies.directory.forget()
        return 'unknown'
    }
  }
}

const metadataOf = (topicName: string): Buffer =>
  AssignerProtocol.MemberMetadata.encode({ version: 0, topics: [topicName], userData: Buffer.alloc(0) })

const assignmentOf = (topicName: string, partitions: number[]): Buffer =>
  AssignerProtocol.MemberAssignment.encode({
    version: 0,
    assignment: { [topicName]: partitions },
    userData: Buffer.alloc(0),
  })
