/** Creates the API's stream of new rows to clients, for the chains of a test. */
import type { ApiSource } from '../../api/source.ts'
import { createStream, type Stream, type StreamOptions } from '../../api/stream/stream.ts'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../infra/log/memory/memory-log.ts'
import { createLogger } from '../../infra/telemetry.ts'

export const streamOf = (
  chains: readonly Pick<ApiSource, 'stage' | 'stream'>[],
  options: Partial<StreamOptions> = {},
): Stream =>
  createStream({
    chains: chains.flatMap(({ stage, stream }) => (stream === undefined ? [] : [{ stage, stream }])),
    secret: 'a secret of the test',
    publicBaseUrl: 'https://data.example',
    isEnabled: true,
    nowMs: Date.now,
    open: { log: createMemoryLog({ nowMs: Date.now }), registry: createMemoryRegistry() },
    logger: createLogger('test', 'silent'),
    ...options,
  })
