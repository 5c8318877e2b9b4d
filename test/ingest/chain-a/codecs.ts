import type { SchemaRegistry } from '../../../infra/codec/schema-codec.ts'
import { createIngestCodecs, type IngestCodecs } from '../../../ingest/codecs.ts'
import { type ChainATypes, chainAStage } from '../../../schemas/chain-a/stage.ts'

export type ChainACodecs = IngestCodecs<ChainATypes>

export const createChainACodecs = (registry: SchemaRegistry): Promise<ChainACodecs> =>
  createIngestCodecs<ChainATypes>(chainAStage, registry)
