/** A stream of chains given by the test. */
import type { ApiChain } from '../../api/chain.ts'
import { createStream, type Stream, type StreamOptions } from '../../api/stream/stream.ts'

export const streamOf = (
  chains: readonly Pick<ApiChain, 'stage' | 'stream'>[],
  options: Partial<StreamOptions> = {},
): Stream =>
  createStream({
    chains: chains.flatMap(({ stage, stream }) => (stream === null ? [] : [{ stage, stream }])),
    secret: 'a secret of the test',
    publicBaseUrl: 'https://data.example',
    isEnabled: true,
    nowMs: Date.now,
    ...options,
  })
