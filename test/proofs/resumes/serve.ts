/**
 * The API with the stream in its own process, over the embedded log of a data directory. It sells nothing. Prints
 * LISTENING and its port.
 */
import { startApi } from '../../../api/edge/listen.ts'
import type { PaymentGate } from '../../../api/payments/payment.ts'
import { followChains } from '../../../api/stream/feed.ts'
import { openEmbeddedLog } from '../../../infra/log/embedded/open-embedded-log.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import { topics } from '../../../schemas/topics.ts'
import { pushedChains } from '../../support/pushed-chains.ts'
import { streamOf } from '../../support/stream.ts'

const [dataDir = '', secret = ''] = process.argv.slice(2)
const nowMs = Date.now
const logger = createLogger('resumes', 'error')
const open = await openEmbeddedLog(dataDir, { nowMs, topicTable: topics })
const stream = streamOf(pushedChains, { open, logger, secret })
const following = followChains({
  ...{ ...open, sources: pushedChains, listeners: [stream.onTick], onStart: stream.onStart },
  ...{ nowMs, logger, signal: new AbortController().signal },
})
following.catch((error) => {
  logger.error({ err: error }, 'the log is not readable')
  process.exit(1)
})
const notSold = () => {
  throw new TypeError('nothing is sold here')
}
const cuts = { newest: async () => null, at: async () => null, oldestAtMs: async () => null }
const gate = { ...({} as PaymentGate), run: notSold, close: async () => {} }
const { port } = await startApi(
  {
    ...{ sources: [], routes: [], cuts, gate, stream: stream.route, publicBaseUrl: 'http://127.0.0.1' },
    ...{ viewRefreshMs: 1000, trustedProxyCount: 1, nowMs, logger },
  },
  { port: 0, host: '127.0.0.1' },
)
console.log(`LISTENING ${port}`)
