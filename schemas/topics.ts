/** Every topic of the log: its key, its records, its only writer and its retention. */

import type { AvroRecord } from './avro.ts'
import { callAddressSchemas } from './calls/addresses.ts'
import { chainAAddressSchemas } from './chain-a/addresses.ts'
import { chainADerivedSchemas } from './chain-a/derived.ts'
import { chainAFactSchemas } from './chain-a/facts.ts'
import { chainBAddressSchemas } from './chain-b/addresses.ts'
import { chainBDerivedSchemas } from './chain-b/derived.ts'
import { chainBFactSchemas } from './chain-b/facts.ts'
import { chatDerivedSchemas } from './chats/derived.ts'
import { chatFactSchemas } from './chats/facts.ts'
import { paymentSchemas } from './payments.ts'
import { type DurationMs, dayMs } from './units.ts'

export type Topic = Readonly<{
  name: TopicName
  key: string
  /** Record schemas by name. Null for opaque bytes (state snapshots). */
  schemas: Readonly<Record<string, AvroRecord>> | null
  writer: string
  /** Never changes after the topic is created. */
  partitionCount: number
  /** The time for which records are kept. Null if they are kept without limit. */
  retentionMs: DurationMs | null
  /** True if only the newest record of a key is kept. A null value removes the key. */
  isCompacted: boolean
  /** Whether the records may be given to others: by replay, as files, or to other consumers. */
  isExportable: boolean
  /**
   * True for a topic that has a large part of the log's bytes, such as the facts of a chain. The embedded log keeps such a topic in one
   * LMDB environment per day. The value never changes after the topic is created. Default: false.
   */
  isBulk?: boolean
}>

/** The name of a topic. Any string is allowed, because a program may run with chains that are not in `topics`. */
export type TopicName = string

export type TopicTable = Readonly<Record<TopicName, Topic>>

/** The key of ticks on facts topics and derived topics. Ticks belong to no token. */
export const tickKey = 'tick'

/** A task reads one partition of facts and writes the same partition of derived records. Both topics therefore have this count. */
const chainAPartitionCount = 4
const chainBPartitionCount = 4

export const topics: Readonly<
  Record<
    | 'chain-a-facts'
    | 'chain-a-derived'
    | 'chain-b-facts'
    | 'chain-b-derived'
    | 'addresses'
    | 'payments'
    | 'snapshots'
    | 'chat-posts'
    | 'chats-derived',
    Topic
  >
> = {
  'chain-a-facts': {
    name: 'chain-a-facts',
    key: 'token address, lower case',
    schemas: chainAFactSchemas,
    writer: 'ingest',
    partitionCount: chainAPartitionCount,
    retentionMs: 7 * dayMs,
    isCompacted: false,
    isExportable: true,
    isBulk: true,
  },
  'chain-a-derived': {
    name: 'chain-a-derived',
    key: 'token address, lower case',
    schemas: chainADerivedSchemas,
    writer: 'stage chain-a',
    partitionCount: chainAPartitionCount,
    retentionMs: 35 * dayMs,
    isCompacted: false,
    isExportable: true,
  },
  addresses: {
    name: 'addresses',
    key: 'pool address or id, number of a position NFT (32 bytes), or curve address; of chain B with its name before it; called tokens as `followed-<stage>/<token>`',
    schemas: { ...chainAAddressSchemas, ...chainBAddressSchemas, ...callAddressSchemas },
    writer: 'ingest',
    partitionCount: 1,
    retentionMs: null,
    isCompacted: true,
    isExportable: false,
  },
  payments: {
    name: 'payments',
    key: 'payment identity',
    schemas: paymentSchemas,
    writer: 'api',
    partitionCount: 1,
    retentionMs: null,
    isCompacted: false,
    isExportable: false,
  },
  snapshots: {
    name: 'snapshots',
    key: 'task/seq/chunk',
    schemas: null,
    writer: 'runtime',
    partitionCount: 1,
    retentionMs: null,
    isCompacted: true,
    isExportable: false,
  },
  'chain-b-facts': {
    name: 'chain-b-facts',
    key: 'mint, base58',
    schemas: chainBFactSchemas,
    writer: 'ingest',
    partitionCount: chainBPartitionCount,
    retentionMs: 7 * dayMs,
    isCompacted: false,
    isExportable: true,
    isBulk: true,
  },
  'chain-b-derived': {
    name: 'chain-b-derived',
    key: 'mint, base58',
    schemas: chainBDerivedSchemas,
    writer: 'stage chain-b',
    partitionCount: chainBPartitionCount,
    retentionMs: 35 * dayMs,
    isCompacted: false,
    isExportable: true,
  },
  'chat-posts': {
    name: 'chat-posts',
    key: 'chat',
    schemas: chatFactSchemas,
    writer: 'ingest',
    partitionCount: 1,
    retentionMs: 7 * dayMs,
    isCompacted: false,
    isExportable: false,
  },
  'chats-derived': {
    name: 'chats-derived',
    key: 'chat',
    schemas: chatDerivedSchemas,
    writer: 'stage chats',
    partitionCount: 1,
    retentionMs: 35 * dayMs,
    isCompacted: false,
    isExportable: false,
  },
}
