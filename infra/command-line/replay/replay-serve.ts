/**
 * `launch-data replay --serve`: serves the API, MCP and the stream for a range of the past. This server has
 * its own tables and its own clock.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startReplayServer } from '../../../api/replay-main.ts'
import { projectHeld } from '../../../projections/main.ts'
import type { Config } from '../../config.ts'
import { findSecret } from '../../data-dir/secrets.ts'
import { OperationError } from '../../errors.ts'
import { logSettings, openLogReader } from '../../log/open-log.ts'
import { findRange } from '../../replay/read-replay.ts'
import { realClock } from '../../replay/replay.ts'
import { replayedStages, selectTopics } from '../../replay/replayed-topics.ts'
import { parseTime, timeText } from '../../replay/times.ts'
import type { Console } from '../console.ts'
import { parseSpeed } from './replay.ts'

export type ServeArguments = Readonly<{ from: string; to: string; speed: string; port: string }>
type Running = Readonly<{ config: Config; console: Console; signal: AbortSignal; out: NodeJS.WriteStream }>

/** Serves until the signal aborts, then deletes the tables. */
export async function runReplayServer(
  { from, to, speed: speedText, port: portText }: ServeArguments,
  { config, console, signal, out }: Running,
): Promise<void> {
  const { logger } = console
  const nowMs = Date.now()
  const range = { fromMs: parseTime(from, nowMs), toMs: parseTime(to, nowMs) }
  const [speed, port] = [parseServeSpeed(speedText), parsePort(portText)]
  const say = (text: string) => void process.stderr.write(`${text}\n`)
  const open = await openLogReader(logSettings(config, { nowMs: Date.now, logger }))
  const dataDir = await mkdtemp(join(tmpdir(), 'launch-data-replay-'))
  try {
    const topics = selectTopics(replayedStages(config), {})
    const wanted = { from: range.fromMs, to: range.toMs }
    await findRange({ open, topics, range: wanted, clock: realClock, signal })
    say('building tables from the whole log, which takes longer for a longer log')
    await projectHeld({ ...open, database: { dataDir }, logger, signal })
    if (signal.aborted) return
    const secrets = await secretsOf(config)
    const server = await startReplayServer({ config, logger, open, dataDir, range, speed, port, secrets })
    out.write(`${textOf(server.url, { ...range, speed, path: server.examplePath })}\n`)
    await once(signal, 'abort')
    await server.stop()
  } finally {
    await open.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/**
 * Returns the secrets from which the ids of rules and callers are computed. Uses the secrets of the service
 * if they exist, so that the ids are the same as in its answers.
 */
async function secretsOf(config: Config) {
  const kept = (name: string) => findSecret(config.DATA_DIR, name)
  const made = () => randomBytes(32).toString('hex')
  return {
    ruleIds: config.RULE_ID_SECRET ?? (await kept('rule-ids')) ?? made(),
    callerIds: config.CALLER_ID_SECRET ?? (await kept('caller-ids')) ?? made(),
  }
}

function parseServeSpeed(text: string): number {
  const speed = parseSpeed(text)
  if (Number.isFinite(speed)) return speed
  throw new OperationError(
    'config_invalid',
    '--serve needs a --speed that is a number. 1 replays in real time, and 60 replays one minute in each second',
  )
}

function parsePort(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new OperationError(
    'config_invalid',
    `"${text}" is not a port. Set --port to a whole number from 0 to 65535. 0 chooses a free port`,
  )
}

type ServedReplay = Readonly<{ fromMs: number; toMs: number; speed: number; path: string }>

const textOf = (url: string, { fromMs, toMs, speed, path }: ServedReplay): string =>
  [
    `Replaying ${timeText(fromMs)} to ${timeText(toMs)} on ${url}, ${speed} s of the past per second`,
    'Nothing is charged. Every answer has its instant in the header X-Replay-At.',
    `  curl '${url}${path}'`,
    `  curl ${url}/replay                        # the state of the clock`,
    `  curl -X POST ${url}/replay/pause          # also /replay/run?speed=60 and /replay/step?ms=1000`,
  ].join('\n')
