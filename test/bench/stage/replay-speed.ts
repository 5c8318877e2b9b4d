import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { runTypeScript } from '../../support/run-typescript.ts'
import { benchMarkets } from '../bench-markets.ts'
import { type OpenFacts, writeFacts } from '../fact-log.ts'
import { compete, count, type Measured, spent } from '../rounds.ts'
import { decodeAll, onCopy, runStageToEnd, scanBytes, timed } from './stage-throughput.ts'

const reader = fileURLToPath(new URL('./replay-reader.ts', import.meta.url))
const program = fileURLToPath(new URL('../../../infra/command-line/launch-data.js', import.meta.url))
const hourMs = 3_600_000
const toMs = Date.UTC(2026, 8, 1)
const topic = 'chain-a-facts'

/**
 * Prints the facts per second of `replay --speed max` over a log of chain A. The blocks in this log were
 * known when they were mined. The replay runs from code and as the command, each in a fresh process, and the
 * command's output is discarded. For comparison, the stage's backfill, a decode and a scan of the same facts
 * are measured.
 */
export async function measureReplay(dataDir: string, hours: number): Promise<void> {
  const market = benchMarkets['chain-a']
  const facts = await writeFacts(dataDir, hours, { ...market, isLive: true })
  console.log(
    `${count(facts)} facts, ${hours} h of a simulated market; facts/s, the median of 3 rounds after one to warm up:`,
  )
  const place = { dataDir, marketName: 'chain-a' } as const
  // The range leaves out 5 min at both ends, so that there are ticks from its first to its last block.
  const range = { from: toMs - hours * hourMs + 300_000, to: toMs - 300_000 }
  const [scan, decode, backfill, fromCode, command] = await compete(
    [
      { name: 'raw byte scan', run: () => timed(place, scanBytes) },
      { name: 'whole-record decode', run: () => timed(place, decodeAll) },
      {
        name: 'stage, backfill',
        run: () => onCopy(place, (copy) => timed(copy, (open: OpenFacts) => runStageToEnd(open))),
      },
      { name: 'replay, from code', run: () => spent(() => replayFromCode(dataDir, range)) },
      { name: 'replay, the command', run: () => spent(() => replayByCommand(dataDir, range)) },
    ],
    { rounds: 3, units: facts },
  )
  assert(scan && decode && backfill && fromCode && command)
  const beside = (other: Measured) =>
    `${(fromCode.perSecond / other.perSecond).toFixed(2)} x from code, ${(command.perSecond / other.perSecond).toFixed(2)} x the command`
  console.log(
    `  beside the backfill ${beside(backfill)} (aim 0.9); beside decoding ${beside(decode)}; beside scanning ${beside(scan)}`,
  )
  console.log('  their CPU is in a process of its own and not counted; its start, about 2 s, counts as time')
}

type Range = Readonly<{ from: number; to: number }>

const replayFromCode = (dataDir: string, { from, to }: Range): Promise<void> =>
  runNode(dataDir, [runTypeScript, reader, `${from}`, `${to}`, topic])

const replayByCommand = (dataDir: string, { from, to }: Range): Promise<void> =>
  runNode(dataDir, [program, 'replay', '--from', `${from}`, '--to', `${to}`, '--topics', topic])

async function runNode(dataDir: string, argv: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [...argv], {
    env: { ...process.env, DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
}
