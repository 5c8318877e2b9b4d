/**
 * Serves the API, MCP and the stream over a past range of the log. Everything is free of charge, and the server listens on loopback only.
 * The clock of the server is the replay clock.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase } from '../infra/clickhouse/database.ts'
import type { Config } from '../infra/config.ts'
import type { OpenReader } from '../infra/log/open-log.ts'
import { freePorts } from '../infra/ports.ts'
import type { Logger } from '../infra/telemetry.ts'
import { type Cuts, createCuts } from '../projections/cuts.ts'
import type { DurationMs, EpochMs } from '../schemas/units.ts'
import { startApi } from './edge/listen.ts'
import { examplePathOf, routesOf } from './products.ts'
import { createReplayClock, type ReplayClock } from './replay/clock.ts'
import { replayControls } from './replay/controls.ts'
import { createFreeGate } from './replay/free-gate.ts'
import { createLogUntil } from './replay/log-until.ts'
import { createSources } from './sources.ts'
import { openStream, push } from './stream/pushing.ts'

export type Replaying = Readonly<{
  /** The configuration of the service whose past is replayed. */
  config: Config
  logger: Logger
  open: Pick<OpenReader, 'log' | 'registry'>
  /** The directory for the tables with the replayed data and for the files of this server. */
  dataDir: string
  range: Readonly<{ fromMs: EpochMs; toMs: EpochMs }>
  speed: number
  /** The port to listen on. If it is 0, a free port is chosen. */
  port: number
  /**
   * The secrets for the ids of rules and callers. They must equal the secrets of the original service.
   * Otherwise the answers would not have the same bytes.
   */
  secrets: Readonly<{ ruleIds: string; callerIds: string }>
}>

export type ReplayServer = Readonly<{ url: string; examplePath: string; clock: ReplayClock; stop(): Promise<void> }>

const host = '127.0.0.1'
const sleepUntilAborted = (durationMs: DurationMs, signal: AbortSignal): Promise<void> =>
  sleep(durationMs, undefined, { signal }).catch(() => {})

/** Starts the server. Fails with `port_in_use` if the port is taken. */
export async function startReplayServer(replaying: Replaying): Promise<ReplayServer> {
  const { config: ofService, logger, open, dataDir, range, speed, secrets } = replaying
  const config = { ...ofService, DATA_DIR: dataDir }
  const [port = 0] = replaying.port === 0 ? await freePorts(1) : [replaying.port]
  const url = `http://${host}:${port}`
  const database = await createDatabase({ url: undefined, dataDir, role: 'reader' })
  const clock = createReplayClock({ ...range, speed, monotonicMs: () => performance.now(), sleep: sleepUntilAborted })
  const { nowMs } = clock
  const sources = createSources({ config, database, ruleIdSecret: secrets.ruleIds, callerIdSecret: secrets.callerIds })
  const viewRefreshMs = config.VIEW_REFRESH_MS
  const cuts = cutsUntil(createCuts({ database }), { clock, viewRefreshMs })
  const log = await createLogUntil(
    { ...open, clock },
    sources.map(({ stage }) => stage.derivedTopic),
  )
  const past = { ...open, log }
  const stream = await openStream({ config, sources, publicBaseUrl: url, open: past, nowMs, logger })
  const routes = routesOf(sources, [stream.passRoute])
  const app = {
    ...{ routes, stream: stream.route, sources, cuts, gate: createFreeGate(), publicBaseUrl: url, nowMs, logger },
    // Looks the cut up at each request, because a request may move the clock by any time.
    ...{ viewRefreshMs: 0, trustedProxyCount: 0, mcp: { hosts: [host] }, around: [replayControls(clock)] },
  }
  const api = await startApi(app, { port, host })
  const stopping = new AbortController()
  const { signal } = stopping
  const pushed = push({ config, sources, stream, open: past, nowMs, logger, signal, onHeadline: undefined })
  return {
    ...{ url, clock, examplePath: examplePathOf(routes) },
    async stop() {
      stopping.abort()
      await Promise.all([pushed, api.stop()])
      await database.close()
    },
  }
}

/**
 * Hides the data after the time of the replay clock, because the tables contain the whole range. While the clock runs,
 * `newest` rounds the time down to a multiple of `viewRefreshMs`, so that requests share cached answers. While the clock
 * is paused, all requests have the same time anyway, so `newest` uses exactly this time.
 */
const cutsUntil = (
  cuts: Cuts,
  { clock, viewRefreshMs }: Readonly<{ clock: ReplayClock; viewRefreshMs: number }>,
): Cuts => ({
  async newest(stages) {
    const newest = await cuts.newest(stages)
    if (newest === null) return null
    const { atMs: clockAtMs, isRunning } = clock.state()
    const atMs = isRunning ? Math.floor(clockAtMs / viewRefreshMs) * viewRefreshMs : clockAtMs
    return newest.atMs <= atMs ? newest : cuts.at(atMs, stages)
  },
  at: async (atMs, stages) => (atMs > clock.nowMs() ? null : cuts.at(atMs, stages)),
  oldestAtMs: (stages) => cuts.oldestAtMs(stages),
})
