/** All topics of the log. Each topic has a key, records, exactly one writer and a retention time. */

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
  /** The record schemas by name. Null if the values are plain bytes (state snapshots). */
  schemas: Readonly<Record<string, AvroRecord>> | null
  writer: string
  /** The number of partitions. It must never change after the topic is created. */
  partitionCount: number
  /** How long records are kept, in milliseconds. Null if they are kept without limit. */
  retentionMs: DurationMs | null
  /** True if only the newest record of each key is kept. A record with a null value removes its key. */
  isCompacted: boolean
  /** True if the records may be given to others. Files for the owner also have other topics. */
  isExportable: boolean
  /**
   * True for a topic with a large part of the log's bytes, for example the facts of a chain. The embedded log
   * keeps such a topic in one LMDB environment per day. The value must never change after the topic is
   * created. The default is false.
   */
  isBulk?: boolean
}>

/**
 * The name of a topic. Any string is allowed, because a program may work with chains that are not in
 * `topics`.
 */
export type TopicName = string

export type TopicTable = Readonly<Record<TopicName, Topic>>

/** The key of ticks on fact topics and derived topics. Ticks do not belong to a token. */
export const tickKey = 'tick'

/**
 * The number of partitions of chain A's topics. A task reads one partition of facts and writes the derived
 * partition with the same number. So both topics must have the same number of partitions.
 */
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
