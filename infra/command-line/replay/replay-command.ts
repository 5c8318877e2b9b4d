/**
 * Adds the command `launch-data replay`. Its options select what a replay does: print the records, write them
 * to Kafka, test other rules or serve the API.
 */
import { type Command, Option } from 'commander'
import type { Config } from '../../config.ts'
import { OperationError } from '../../errors.ts'
import type { Console, Task } from '../console.ts'
import type { ReplayArguments } from './replay.ts'

export function addReplay(command: Command, run: (program: string, task: Task) => Promise<void>): void {
  command
    .command('replay')
    .description(
      'print the records of the log as JSON lines, each record after the records that caused it; the service may run meanwhile',
    )
    .requiredOption(
      '--from <time>',
      'start of the range, inclusive; the range is in knowledge time, when the service knew a record',
    )
    .requiredOption('--to <time>', 'end of the range, exclusive')
    .option(
      '--files <folder>',
      'instead of the log, read the files of past days that "launch-data export" wrote to this folder; not with --out topic or --serve, which read a log: run "launch-data import <folder>" first',
    )
    .option('--types <list>', 'only these record types, such as Burst,Swap; "launch-data topics" lists them', listOf)
    .option(
      '--topics <list>',
      'only these topics, such as chain-a-facts; with --rules: only the chains of these topics',
      listOf,
    )
    .option(
      '--speed <factor>',
      'max, or how many seconds of the range pass per second, such as 60 (default: max; with --serve 1)',
    )
    .option(
      '--dry',
      'instead, print how many records and bytes the range has, which times the log holds, and the gaps of its chains',
    )
    .addOption(
      new Option('--out <form>', 'jsonl: print the records; topic: write them to Kafka, not with --files')
        .choices(['jsonl', 'topic'])
        .default('jsonl'),
    )
    .addOption(
      new Option(
        '--prefix <text>',
        'with --out topic: write to the same topics with this text before their names; they must be empty',
      ).conflicts(['rules', 'dry', 'serve']),
    )
    .addOption(
      new Option(
        '--rules <file>',
        'instead, run the stages with these rules ("launch-data rules") over the range, and compare the results with the records',
      ).conflicts(['types', 'speed', 'dry', 'serve']),
    )
    .option('--split <time>', 'with --rules: compare the signals before this instant and after it separately')
    .option(
      '--where <conditions>',
      'with --rules: only signals for which a lookup gave this answer, such as lp=safe or holdersTop10<=0.3,bundledShare<=0.5',
    )
    .option('--json', 'with --rules: print the comparison as one JSON object')
    .addOption(
      new Option(
        '--serve',
        'instead, serve the API, MCP and the stream as they were in the range, on this machine only and free of charge',
      ).conflicts(['types', 'topics', 'dry', 'files']),
    )
    .option('--port <port>', 'with --serve: the port of the API (default: a free port)')
    .addHelpText('after', replayHelp)
    .action((options: ReplayOptions) =>
      run('replay', async (config, console, signal) =>
        replayAs(options, { config, console, signal, out: process.stdout }),
      ),
    )
}

async function replayAs(options: ReplayOptions, running: ReplayRunning): Promise<void> {
  const {
    dry: isDry = false,
    json: isJson = false,
    serve = false,
    rules,
    split,
    where,
    port = '0',
    out,
    ...plain
  } = options
  if (rules === undefined && (isJson || split !== undefined || where !== undefined))
    throw new OperationError('config_invalid', '--split, --where and --json need --rules with a rules file')
  if ((out === 'topic') !== (plain.prefix !== undefined))
    throw new OperationError('config_invalid', '--out topic and --prefix belong together. Set both or neither')
  if (out === 'topic' && plain.files !== undefined) throw filesToTopics(plain.files)
  if (serve) {
    const { runReplayServer } = await import('./replay-serve.ts')
    return runReplayServer({ speed: '1', ...plain, port }, running)
  }
  if (rules !== undefined) {
    const { runReplayRules } = await import('./replay-rules.ts')
    const given = { ...(split !== undefined && { split }), ...(where !== undefined && { where }) }
    return runReplayRules({ ...plain, rules, isJson, ...given }, running)
  }
  const { runReplay } = await import('./replay.ts')
  return runReplay({ speed: 'max', ...plain, isDry }, running)
}

/** The files have the ids of the schemas in the log that they were exported from. In another registry, these ids can mean other schemas. */
const filesToTopics = (folder: string): OperationError =>
  new OperationError(
    'config_invalid',
    `--out topic cannot write the records of --files, because the log of the cluster can have other schema ids. Run "launch-data import ${folder}" with an unused KAFKA_TOPIC_PREFIX. Then replay that log without --files`,
  )

type ReplayOptions = Omit<ReplayArguments, 'isDry' | 'speed'> &
  Readonly<{
    speed?: string
    dry?: boolean
    rules?: string
    split?: string
    where?: string
    json?: boolean
    serve?: boolean
    port?: string
    out?: 'jsonl' | 'topic'
  }>

type ReplayRunning = Readonly<{ config: Config; console: Console; signal: AbortSignal; out: NodeJS.WriteStream }>

const listOf = (text: string): readonly string[] => text.split(',').map((name) => name.trim())

const replayHelp = `
Times: now, -6h (s, m, h or d ago), 2026-01-31T12:00Z (UTC without a zone), epoch seconds or milliseconds.
Each line has type, topic, key, partition, offset, data, and the times eventAt, knownAt, publishedAt in epoch
milliseconds. isFinal is true if no later reorg can change the record. Exact amounts of the chain are text. A tick
comes after all records that were known at one instant. The last line, ReplayEnd, has the number of records and their
SHA-256; the same range has the same hash on every log.
If the log does not hold the whole range, nothing is printed, the error names the range it holds, and the exit code is 1.

  launch-data replay --from -1h --to now --dry
  launch-data replay --from -6h --to -1h --types Burst,BurstOutcome > bursts.jsonl
  launch-data replay --from 2026-01-31 --to 2026-02-01 --topics chain-a-facts --speed 60
  launch-data replay --from -6h --to now --serve --speed 60
  launch-data replay --from -6h --to now --out topic --prefix past. --speed 60
  launch-data replay --files /archive --from 2026-01-31 --to 2026-02-01
  echo '{"chainA":{"bursts":{"main":{"buysMin":8}}}}' > eight.json
  launch-data replay --from -6h --to now --rules eight.json --split -2h --where lp=safe`
