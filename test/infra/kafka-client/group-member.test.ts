import { expect } from 'chai'
import type { Connections, NodeConnection } from '../../../infra/kafka-client/connections.ts'
import { GroupMember } from '../../../infra/kafka-client/group-member.ts'
import { createErrorFromCode, type JoinedGroup, type KafkajsBroker } from '../../../infra/kafka-client/kafkajs-parts.ts'
import { expectFailure } from '../../contracts/log-contract.ts'
import { createDeferred, type Deferred } from '../../support/log/kafka-double/deferred.ts'
import { hungUp } from '../../support/log/kafka-double/script.ts'

const codes = { illegalGeneration: 22, unknownMember: 25, rebalancing: 27, notAuthorized: 30, notCoordinator: 16 }
const node = { nodeId: 1, host: 'one', port: 9092 }
const topicName = 's-chain-a-facts'

/**
 * Returns a reader for version 0 of the formats of the consumer protocol, as Kafka's documentation describes
 * them.
 */
function createBytesReader(bytes: Buffer) {
  let at = 0
  const take = (count: number) => {
    at += count
    return bytes.subarray(at - count, at)
  }
  const int16 = () => take(2).readInt16BE()
  const int32 = () => take(4).readInt32BE()
  const text = () => String(take(int16()))
  const array = <Item>(read: () => Item): Item[] => Array.from({ length: int32() }, read)
  return { int16, int32, text, array, userBytes: () => take(int32()).length, left: () => bytes.length - at }
}

function metadataIn(bytes: Buffer) {
  const { int16, text, array, userBytes, left } = createBytesReader(bytes)
  return { version: int16(), topics: array(text), userBytes: userBytes(), left: left() }
}

function assignmentIn(bytes: Buffer) {
  const { int16, int32, text, array, userBytes, left } = createBytesReader(bytes)
  const version = int16()
  const topics = array(() => ({ topic: text(), partitions: array(int32) }))
  return { version, topics, userBytes: userBytes(), left: left() }
}

type Query<Name extends 'joinGroup' | 'syncGroup'> = Parameters<KafkajsBroker[Name]>[0]

/**
 * Simulates the coordinator of a group. A join ends when all `memberCount` members have joined. The first
 * member becomes the leader.
 */
function createGroup(memberCount: number) {
  let joined: Readonly<{ query: Query<'joinGroup'>; memberId: string; answer: Deferred<JoinedGroup> }>[] = []
  let synced = createDeferred<Query<'syncGroup'>['groupAssignment']>()
  let memberNumber = 0
  const lanes = new Map<string, Deferred<never>>()
  const group = {
    requests: [] as string[],
    dropped: [] as string[],
    forgotten: 0,
    metadata: [] as Buffer[],
    assignments: [] as Buffer[],
    /** The error code of each answer. */
    refusal: 0,
  }
  const refuse = () => {
    if (group.refusal !== 0) throw createErrorFromCode(group.refusal)
  }
  const broker = {
    async joinGroup(query: Query<'joinGroup'>) {
      group.requests.push(`join of "${query.memberId}"`)
      refuse()
      group.metadata.push(...query.groupProtocols.map(({ metadata }) => metadata))
      const memberId = query.memberId || `member ${++memberNumber}`
      const answer = createDeferred<JoinedGroup>()
      joined.push({ query, memberId, answer })
      if (joined.length === memberCount) {
        const members = joined.map((each) => ({ memberId: each.memberId, memberMetadata: Buffer.alloc(0) }))
        const leaderId = members[0]?.memberId ?? ''
        for (const each of joined)
          each.answer.resolve({ generationId: 1, groupProtocol: '', leaderId, memberId: each.memberId, members })
        joined = []
        synced = createDeferred()
      }
      return answer.promise
    },
    async syncGroup({ memberId, groupAssignment }: Query<'syncGroup'>) {
      if (groupAssignment.length > 0) synced.resolve(groupAssignment)
      const all = await synced.promise
      const memberAssignment = all.find((each) => each.memberId === memberId)?.memberAssignment ?? Buffer.alloc(0)
      group.assignments.push(memberAssignment)
      return { memberAssignment }
    },
    async heartbeat({ memberId, groupGenerationId }: Readonly<{ memberId: string; groupGenerationId: number }>) {
      group.requests.push(`heartbeat of "${memberId}" in ${groupGenerationId}`)
      refuse()
    },
    async leaveGroup({ memberId }: Readonly<{ memberId: string }>) {
      group.requests.push(`leave of "${memberId}"`)
      refuse()
    },
  } as unknown as KafkajsBroker
  const connections: Connections = {
    to(purpose) {
      const ended = lanes.get(purpose) ?? createDeferred<never>()
      ended.promise.catch(() => {})
      lanes.set(purpose, ended)
      const use: NodeConnection['use'] = (question) => Promise.race([question(broker), ended.promise])
      return { use, send: () => expect.fail('only requests of a group') }
    },
    drop(purpose) {
      group.dropped.push(purpose)
      lanes.get(purpose)?.reject(hungUp())
      lanes.delete(purpose)
    },
    close: () => expect.fail('the caller closes the connections'),
  }
  const directory = {
    leaderOf: () => expect.fail('a member asks no leader'),
    coordinatorOf: async (kind: string, key: string) => {
      expect([kind, key]).to.deep.equal(['group', 'g'])
      return node
    },
    forget: () => void group.forgotten++,
  }
  const memberOf = (partitionCount = 5) =>
    new GroupMember({ connections, directory, groupId: 'g', topicName, partitionCount, sessionMs: 6000 })
  return { group, memberOf }
}

describe('a member of a consumer group', () => {
  let stop: AbortController
  beforeEach(() => {
    stop = new AbortController()
  })

  for (const [memberCount, expected] of [
    [1, [[0, 1, 2, 3, 4]]],
    [
      2,
      [
        [0, 2, 4],
        [1, 3],
      ],
    ],
    [3, [[0, 3], [1, 4], [2]]],
    [6, [[0], [1], [2], [3], [4], []]],
  ] as const)
    it(`gets its share of five partitions among ${memberCount}, each partition once`, async () => {
      const { memberOf } = createGroup(memberCount)
      const members = Array.from({ length: memberCount }, () => memberOf())
      const joining = () => Promise.all(members.map((member) => member.join(stop.signal)))
      expect(await joining()).to.deep.equal(expected)
      expect(await joining(), 'after a rebalance').to.deep.equal(expected)
    })

  it('speaks version 0 of the consumer protocol, as other members and the tools of Kafka read it', async () => {
    const { group, memberOf } = createGroup(2)
    await Promise.all([memberOf(), memberOf()].map((member) => member.join(stop.signal)))
    for (const bytes of group.metadata)
      expect(metadataIn(bytes)).to.deep.equal({ version: 0, topics: [topicName], userBytes: 0, left: 0 })
    expect(group.assignments.map(assignmentIn)).to.have.deep.members(
      [
        [0, 2, 4],
        [1, 3],
      ].map((partitions) => ({
        ...{ version: 0, topics: [{ topic: topicName, partitions }], userBytes: 0, left: 0 },
      })),
    )
  })

  it('ends a join that waits for other members when it is interrupted, and leaves other connections alone', async () => {
    const { group, memberOf } = createGroup(2)
    const member = memberOf()
    const joining = member.join(stop.signal)
    await new Promise(setImmediate)
    stop.abort()
    member.interrupt()
    const soon = new Promise((resolve) => setImmediate(resolve, 'it still waits'))
    expect(await Promise.race([joining, soon])).to.equal(null)
    expect(group.dropped).to.deep.equal(['group g'])
  })

  for (const [code, standing, isForgotten] of [
    [0, 'member', false],
    [codes.rebalancing, 'rebalancing', false],
    [codes.unknownMember, 'lost', false],
    [codes.illegalGeneration, 'lost', false],
    [codes.notCoordinator, 'unknown', true],
    [codes.notAuthorized, 'unknown', true],
  ] as const)
    it(`knows from a heartbeat that it is "${standing}" after the answer ${code}`, async () => {
      const { group, memberOf } = createGroup(1)
      const member = memberOf()
      await member.join(stop.signal)
      group.refusal = code
      expect(await member.heartbeat()).to.equal(standing)
      expect(group.requests.at(-1)).to.equal('heartbeat of "member 1" in 1')
      expect(group.forgotten > 0, 'it looks for the coordinator again').to.equal(isForgotten)
      group.refusal = 0
      await member.join(stop.signal)
      const isUnknown = code === codes.unknownMember
      expect(group.requests.at(-1)).to.equal(`join of "${isUnknown ? '' : 'member 1'}"`)
    })

  it('must join again after a failure that may pass, and fails with log_failed after any other', async () => {
    const { group, memberOf } = createGroup(1)
    const member = memberOf()
    group.refusal = codes.rebalancing
    expect(await member.join(stop.signal)).to.equal(null)
    group.refusal = codes.notAuthorized
    await expectFailure(member.join(stop.signal), 'log_failed')
    stop.abort()
    expect(await member.join(stop.signal), 'its signal has aborted').to.equal(null)
  })

  it('leaves once, and never if it has not joined or if the coordinator does not know it', async () => {
    const { group, memberOf } = createGroup(1)
    const member = memberOf()
    await member.leave()
    expect(group.requests).to.deep.equal([])
    await member.join(stop.signal)
    group.refusal = codes.notCoordinator
    await member.leave()
    await member.leave()
    expect(group.requests.slice(1)).to.deep.equal(['leave of "member 1"'])
    group.refusal = 0
    await member.join(stop.signal)
    group.refusal = codes.unknownMember
    await member.heartbeat()
    await member.leave()
    expect(group.requests.filter((line) => line.startsWith('leave'))).to.have.lengthOf(1)
  })
})
