/** The `launch-data` command: what can be run, and how it ends. */
import { Argument, Command, Option } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { isOperationError, OperationError } from '../errors.ts'
import { httpUrl } from '../http-url.ts'
import { logChoiceOf } from '../log/open-log.ts'
import type { ProgramName } from '../program.ts'
import { type Console, openConsole } from './console.ts'
import { describeFailure } from './describe-failure.ts'
import { watchNpm } from './npm-gone.ts'
import { describeTopics } from './print-topics.ts'
import { refuseAlone } from './refuse-alone.ts'
import type { ReplayArguments } from './replay.ts'
import { mustEndSoon, watchProcess } from './watch-process.ts'

type Run = (config: Config, console: Console, signal: AbortSignal) => Promise<void>

export async function main(argv: readonly string[]): Promise<void> {
  const command = new Command('launch-data')
    .description('Launch Data Service: bursts, outcomes and pool flow of token launches, sold per call.')
    .addHelpText('after', afterHelp)
  command
    .command('up')
    .description('run everything in one process: ingest, stage, projections and the API; needs nothing else')
    .action(() => runOnLog('up', async (...context) => (await import('./up.ts')).runUp(...context)))
  addPrograms(command)
  command
    .command('doctor')
    .description(
      'check everything that the configuration names and say what to do; exit code 1 when something is wrong',
    )
    .option('--json', 'print the checks as one JSON array')
    .action(({ json = false }: Readonly<{ json?: boolean }>) =>
      run('doctor', async (config) => {
        const { runDoctor } = await import('./doctor/doctor.ts')
        if (!(await runDoctor(config, { isJson: json }))) process.exitCode = 1
      }),
    )
  command
    .command('topics')
    .description('print every topic of the log')
    .action(() => {
      process.stdout.write(`${describeTopics()}\n`)
    })
  addReplay(command)
  command
    .command('rules')
    .description('print every threshold, window, exit and lane as JSON, with the versions of the rules')
    .option('--schema', 'instead, print the JSON schema: bounds, meanings and defaults')
    .option('--file <path>', 'print the rules of this file, which says what differs from the default')
    .action((options: RulesOptions) =>
      run('rules', async () => {
        const { describeRules } = await import('./print-rules.ts')
        process.stdout.write(`${await describeRules(options)}\n`)
      }),
    )
  command
    .command('pay')
    .description('buy one answer: prints the 402, the payment and the answer')
    .argument('<path>', 'such as "/v1/rh/bursts/live?tier=all"')
    .option('--url <url>', 'the service; default: the one started here on PORT')
    .option('--full', 'print the whole body')
    .addOption(new Option('--network <name>', 'what to pay on').choices(['evm', 'solana']).default('evm'))
    .option('--real', 'pay with real money from PAY_PRIVATE_KEY or PAY_PRIVATE_KEY_SVM')
    .action((path: string, options: PayOptions) => run('pay', async (config) => payOnce(config, path, options)))
  await command.parseAsync([...argv])
}

const afterHelp = `
Configured by environment variables; infra/docs/configuration.md lists them with their defaults. Nothing is needed for "up".
Programs that run as processes of their own share servers:
  KAFKA_BROKERS, SCHEMA_REGISTRY_URL   the log (all of them)
  CLICKHOUSE_URL                       the tables (project, serve)
"launch-data doctor" says what is missing or wrong.

SIGTERM or SIGINT ends a program in order; another one, a second later or more, ends it at once.
A program that npm started also ends in order when npm is gone.
Exit codes: 0 as asked, 1 a failure, 2 a wrong configuration.`

const programTexts: Readonly<Record<ProgramName, string>> = {
  ingest: 'the chains to facts on the log; one process at a time, a later one fences it',
  process: 'facts to derived records; any number of processes share the partitions',
  project: 'derived records to the ClickHouse tables',
}

function addPrograms(command: Command): void {
  const runProgram = (program: ProgramName) =>
    runOnLog(program, async (config, console, signal) => {
      refuseAlone(program, config)
      const { runApart } = await import('./apart.ts')
      return runApart(program, { config, console, signal })
    })
  command
    .command('ingest')
    .description(programTexts.ingest)
    .addArgument(new Argument('[source]', 'with --login').choices(['chat']))
    .option('--login', 'instead, sign in to the chat platform and end; asks on the terminal')
    .action((source: string | undefined, { login = false }: Readonly<{ login?: boolean }>, self: Command) => {
      if (login !== (source === 'chat')) self.error('error: to sign in, run "launch-data ingest chat --login"')
      return login ? logIn() : runProgram('ingest')
    })
  command
    .command('process')
    .description(programTexts.process)
    .action(() => runProgram('process'))
  command
    .command('project')
    .description(programTexts.project)
    .option('--rebuild', 'instead, drop the tables, project the log again and end; no other project may run')
    .action(({ rebuild = false }: Readonly<{ rebuild?: boolean }>) =>
      rebuild
        ? runOnLog('project', async (...context) => (await import('./rebuild.ts')).runRebuild(...context))
        : runProgram('project'),
    )
  command
    .command('serve')
    .description('the API, from the tables; one process sells at a time, a later one fences it')
    .action(() =>
      runOnLog('serve', async (config, ...rest) => {
        refuseAlone('serve', config)
        const { runServe } = await import('./apart.ts')
        return runServe(config, ...rest)
      }),
    )
}

function addReplay(command: Command): void {
  command
    .command('replay')
    .description(
      'print the records of the log as JSON lines, in one order: causes before results; beside a running service too',
    )
    .requiredOption('--from <time>', 'from when on the service knew them, inclusive')
    .requiredOption('--to <time>', 'exclusive')
    .option('--types <list>', 'only these record types, such as Burst,Swap; "launch-data topics" lists them', listOf)
    .option('--topics <list>', 'only these topics, such as chain-a-facts', listOf)
    .option('--speed <factor>', 'max, or seconds of the past in a second: 1, 60 (default: max; with --serve 1)')
    .option('--dry', 'instead, say how many records and bytes there are, what is held, and which gaps it has')
    .addOption(new Option('--out <form>', 'what is printed').choices(['jsonl', 'topic']).default('jsonl'))
    .addOption(
      new Option(
        '--prefix <text>',
        'with --out topic: the same topics on Kafka, with this before their names; they must be empty',
      ).conflicts(['rules', 'dry', 'serve']),
    )
    .addOption(
      new Option(
        '--rules <file>',
        'instead, run the stages with these rules ("launch-data rules") over the range, and compare with what was recorded',
      ).conflicts(['types', 'topics', 'speed', 'dry', 'serve']),
    )
    .option('--split <time>', 'with --rules: signals before it are told apart from those after it')
    .option('--json', 'with --rules: print the comparison as one JSON object')
    .addOption(
      new Option(
        '--serve',
        'instead, serve the API, MCP and the stream as of then, on this machine alone and free of charge',
      ).conflicts(['types', 'topics', 'dry']),
    )
    .option('--port <port>', 'with --serve (default: a free one)')
    .addHelpText('after', replayHelp)
    .action((options: ReplayOptions) =>
      run('replay', async (config, console, signal) =>
        replayAs(options, { config, console, signal, out: process.stdout }),
      ),
    )
}

async function replayAs(options: ReplayOptions, running: ReplayRunning): Promise<void> {
  const { dry: isDry = false, json: isJson = false, serve = false, rules, split, port = '0', out, ...plain } = options
  if (rules === undefined && (isJson || split !== undefined))
    throw new OperationError('config_invalid', '--split and --json belong to --rules: name a file of rules')
  if ((out === 'topic') !== (plain.prefix !== undefined))
    throw new OperationError(
      'config_invalid',
      '--out topic and --prefix belong together: name what stands before topics',
    )
  if (serve) {
    const { runReplayServer } = await import('./replay-serve.ts')
    return runReplayServer({ speed: '1', ...plain, port }, running)
  }
  if (rules !== undefined) {
    const { runReplayRules } = await import('./replay-rules.ts')
    return runReplayRules({ ...plain, rules, isJson, ...(split !== undefined && { split }) }, running)
  }
  const { runReplay } = await import('./replay.ts')
  return runReplay({ speed: 'max', ...plain, isDry }, running)
}

type ReplayOptions = Omit<ReplayArguments, 'isDry' | 'speed'> &
  Readonly<{
    speed?: string
    dry?: boolean
    rules?: string
    split?: string
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
milliseconds; isFinal: no reorg to come changes it. Exact amounts of the chain are text. A tick closes what was
known at one instant. The last line, ReplayEnd, says how many records there were and their SHA-256;
the same range has the same hash on every log.
A range that the log does not hold is refused, and the message names what it holds: exit code 1, nothing printed.

  launch-data replay --from -1h --to now --dry
  launch-data replay --from -6h --to -1h --types Burst,BurstOutcome > bursts.jsonl
  launch-data replay --from 2026-01-31 --to 2026-02-01 --topics chain-a-facts --speed 60
  launch-data replay --from -6h --to now --serve --speed 60
  launch-data replay --from -6h --to now --out topic --prefix past. --speed 60
  echo '{"chainA":{"bursts":{"main":{"buysMin":8}}}}' > eight.json
  launch-data replay --from -6h --to now --rules eight.json --split -2h`

const logIn = (): Promise<void> =>
  run('ingest', async (config, _, signal) => (await import('./log-in.ts')).runLogIn(config, signal))

type RulesOptions = Readonly<{ schema?: boolean; file?: string }>

type PayOptions = Readonly<{ url?: string; full?: boolean; real?: boolean; network: 'evm' | 'solana' }>

async function payOnce(config: Config, path: string, options: PayOptions): Promise<void> {
  const { runPay } = await import('./pay.ts')
  await runPay({
    baseUrl: options.url ?? httpUrl(config.HOST, config.PORT),
    path,
    isFull: options.full ?? false,
    isReal: options.real ?? false,
    network: options.network,
    wallet: {
      privateKey: (options.network === 'evm' ? config.PAY_PRIVATE_KEY : config.PAY_PRIVATE_KEY_SVM) ?? null,
      rpcUrl: config.X402_SVM_RPC_URL ?? null,
    },
    print: (text) => process.stdout.write(`${text}\n`),
  })
}

const runOnLog = (program: string, task: Run): Promise<void> =>
  run(program, (config, console, signal) => {
    for (const warning of logChoiceOf(config).warnings) console.logger.warn(warning)
    return task(config, console, signal)
  })

/** Exit codes: 0 as asked, 1 a failure, 2 a wrong configuration. */
async function run(program: string, task: Run): Promise<void> {
  const stopping = new AbortController()
  const leaveSignals = stopOnSignals(stopping)
  const watch = watchProcess()
  stopping.signal.addEventListener('abort', mustEndSoon)
  const stopWatching = watchNpm({ onGone: () => stopping.abort(), environment: process.env })
  // A program that only waits for the log has nothing else that keeps its process.
  const alive = setInterval(() => {}, 2 ** 30)
  let console: Console | null = null
  try {
    const config = readConfig(process.env)
    console = openConsole({ program, level: config.LOG_LEVEL })
    await task(config, console, stopping.signal)
    console.close()
    process.exitCode ??= 0
  } catch (error) {
    console?.close()
    process.stderr.write(`${describeFailure(error)}\n`)
    process.exitCode = isOperationError(error, 'config_invalid') ? 2 : 1
    // Something that was opened may keep the process: it has failed, and must not look as if it ran.
    setTimeout(() => process.exit(), failedMsMax).unref()
  } finally {
    clearInterval(alive)
    stopWatching()
    leaveSignals()
    await watch.stop()
  }
}

const failedMsMax = 5_000

/** Ctrl-C reaches this process twice when npm started it: from the terminal, and from npm, which passes it on. */
const sameSignalMs = 1_000

/** A second signal does not wait for a clean end. What is returned gives signals back to the system. */
function stopOnSignals(stopping: AbortController): () => void {
  let stoppedAtMs = Number.POSITIVE_INFINITY
  stopping.signal.addEventListener('abort', () => {
    stoppedAtMs = performance.now()
  })
  const onSignal = () => (performance.now() - stoppedAtMs >= sameSignalMs ? process.exit(1) : stopping.abort())
  const names = ['SIGINT', 'SIGTERM'] as const
  for (const name of names) process.on(name, onSignal)
  return () => {
    for (const name of names) process.off(name, onSignal)
  }
}
