/** The `launch-data` command: its subcommands and exit codes. */
import { Argument, Command, Option } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { refuseUnfinishedRestore } from '../data-dir/unfinished-restore.ts'
import { isOperationError } from '../errors.ts'
import { httpUrl } from '../http-url.ts'
import { logChoiceOf } from '../log/open-log.ts'
import type { ProgramName } from '../program.ts'
import { addArchive } from './archive/archive-commands.ts'
import { addBackup } from './backup/backup-commands.ts'
import { type Console, openConsole, type Task } from './console.ts'
import { describeFailure } from './describe-failure.ts'
import { exampleOf } from './example-of.ts'
import { outliveReaders } from './outlive-readers.ts'
import { describeTopics } from './print-topics.ts'
import { refuseAlone } from './refuse-alone.ts'
import { addReplay } from './replay/replay-command.ts'
import { addSigning } from './signing/signing-commands.ts'
import { watchNpm } from './watch-npm.ts'
import { mustEndSoon, watchProcess } from './watch-process.ts'

export async function main(argv: readonly string[]): Promise<void> {
  outliveReaders([process.stdout, process.stderr])
  const command = new Command('launch-data')
    .description('Launch Data Service: bursts, outcomes and pool flow of token launches, sold per call.')
    .addHelpText('after', afterHelp)
  command
    .command('up')
    .description('run everything in one process: ingest, stages, projections and the API; needs no other server')
    .addHelpText('after', exampleOf('launch-data up', 'PORT=9000 DATA_DIR=/var/lib/launch-data launch-data up'))
    .action(() => runOnLog('up', async (...context) => (await import('./up.ts')).runUp(...context)))
  addPrograms(command)
  command
    .command('doctor')
    .description(
      'check everything that the configuration names and say what to do; exit code 1 when something is wrong',
    )
    .option('--json', 'print the checks as one JSON array')
    .addHelpText('after', exampleOf('launch-data doctor'))
    .action(({ json = false }: Readonly<{ json?: boolean }>) =>
      run('doctor', async (config) => {
        const { runDoctor } = await import('./doctor/doctor.ts')
        if (!(await runDoctor(config, { isJson: json }))) process.exitCode = 1
      }),
    )
  command
    .command('topics')
    .description('print every topic of the log')
    .addHelpText('after', exampleOf('launch-data topics'))
    .action(() => {
      process.stdout.write(`${describeTopics()}\n`)
    })
  addReplay(command, run)
  addBackup(command, run)
  addArchive(command, run)
  addSigning(command, run)
  command
    .command('rules')
    .description('print every threshold, window, exit and lane as JSON, with the versions of the rules')
    .option('--schema', 'instead, print the JSON schema of a rules file: bounds, meanings and defaults')
    .option('--file <path>', 'print the default rules with the changes of this file')
    .addHelpText('after', exampleOf('launch-data rules', 'launch-data rules --file rules.json'))
    .action((options: RulesOptions) =>
      run('rules', async () => {
        const { describeRules } = await import('./print-rules.ts')
        process.stdout.write(`${await describeRules(options)}\n`)
      }),
    )
  command
    .command('pay')
    .description('buy one answer: prints the price, the payment and the first rows of the answer')
    .argument('<path>', 'such as "/v1/rh/bursts/live?tier=all"')
    .option('--url <url>', 'URL of the service; default: the service on this machine, at PORT')
    .option('--full', 'print the whole body of the answer')
    .option('--verbose', 'also print the 402, the payment and the receipt as they were sent')
    .addOption(new Option('--network <name>', 'kind of network to pay on').choices(['evm', 'solana']).default('evm'))
    .option('--real', 'pay with real money from PAY_PRIVATE_KEY or PAY_PRIVATE_KEY_SVM')
    .addHelpText(
      'after',
      exampleOf(
        'launch-data pay "/v1/rh/bursts/live?tier=all"',
        'launch-data pay --network solana --full /v1/sol/wallets/leaders',
      ),
    )
    .action((path: string, options: PayOptions) => run('pay', async (config) => payOnce(config, path, options)))
  addCheckListing(command)
  await command.parseAsync([...argv])
}

function addCheckListing(command: Command): void {
  command
    .command('check-listing')
    .description(
      'request every paid URL that a service lists, without paying, and check the rules of x402 catalogues; exit code 1 when a rule fails',
    )
    .argument('[url]', 'URL of the service; default: the service on this machine, at PORT')
    .addHelpText('after', exampleOf('launch-data check-listing', 'launch-data check-listing https://data.example'))
    .action((url: string | undefined) =>
      run('check-listing', async ({ HOST, PORT }, _, signal) => {
        const { runCheckListing } = await import('./listing/check-listing.ts')
        if (!(await runCheckListing(url ?? httpUrl(HOST, PORT), signal))) process.exitCode = 1
      }),
    )
}

const sharedLog = 'KAFKA_BROKERS=127.0.0.1:9092 SCHEMA_REGISTRY_URL=http://127.0.0.1:8080/apis/ccompat/v7'
const sharedTables = 'CLICKHOUSE_URL=http://127.0.0.1:8123'

const afterHelp = `
Environment variables configure all programs; infra/docs/configuration.md lists them with their defaults. "up" needs none.
Programs that run in separate processes need servers that they share:
  KAFKA_BROKERS, SCHEMA_REGISTRY_URL   the log (ingest, process, project, serve)
  CLICKHOUSE_URL                       the tables (project, serve)
"launch-data doctor" says what is missing or wrong.

SIGTERM or SIGINT ends a program gracefully. A second signal, a second later or more, ends it at once.
A program that npm started also ends gracefully when npm ends.
Exit codes: 0 success, 1 failure, 2 wrong configuration.`

const programTexts: Readonly<Record<ProgramName, string>> = {
  ingest: 'read the chains and write facts to the log; one process at a time: a later one fences the earlier one',
  process: 'compute derived records from the facts; any number of processes divide the partitions among them',
  project: 'write derived records to the ClickHouse tables',
}

function addPrograms(command: Command): void {
  const runProgram = (program: ProgramName) =>
    runOnLog(program, async (config, console, signal) => {
      refuseAlone(program, config)
      const { runAlone } = await import('./run-alone.ts')
      return runAlone(program, { config, console, signal })
    })
  command
    .command('ingest')
    .description(programTexts.ingest)
    .addArgument(new Argument('[source]', 'with --login').choices(['chat']))
    .option('--login', 'instead, sign in to the chat platform and end; asks for phone number and code on the terminal')
    .addHelpText('after', exampleOf(`${sharedLog} launch-data ingest`, 'launch-data ingest chat --login'))
    .action((source: string | undefined, { login = false }: Readonly<{ login?: boolean }>, self: Command) => {
      if (login !== (source === 'chat')) self.error('error: to sign in, run "launch-data ingest chat --login"')
      return login ? logIn() : runProgram('ingest')
    })
  command
    .command('process')
    .description(programTexts.process)
    .addHelpText('after', exampleOf(`${sharedLog} launch-data process`))
    .action(() => runProgram('process'))
  command
    .command('project')
    .description(programTexts.project)
    .option(
      '--rebuild',
      'instead, drop the tables, write them again from the log and end; no other "launch-data project" may run',
    )
    .addHelpText(
      'after',
      exampleOf(`${sharedLog} ${sharedTables} launch-data project`, 'launch-data project --rebuild'),
    )
    .action(({ rebuild = false }: Readonly<{ rebuild?: boolean }>) =>
      rebuild
        ? runOnLog('project', async (...context) => (await import('./rebuild.ts')).runRebuild(...context))
        : runProgram('project'),
    )
  command
    .command('serve')
    .description('serve the API from the tables; one process at a time sells: a later one fences the earlier one')
    .addHelpText('after', exampleOf(`${sharedLog} ${sharedTables} launch-data serve`))
    .action(() =>
      runOnLog('serve', async (config, ...rest) => {
        refuseAlone('serve', config)
        const { runServe } = await import('./run-alone.ts')
        return runServe(config, ...rest)
      }),
    )
}

const logIn = (): Promise<void> =>
  run('ingest', async (config, _, signal) => (await import('./log-in.ts')).runLogIn(config, signal))

type RulesOptions = Readonly<{ schema?: boolean; file?: string }>

type PayOptions = Readonly<{
  url?: string
  full?: boolean
  verbose?: boolean
  real?: boolean
  network: 'evm' | 'solana'
}>

async function payOnce(config: Config, path: string, options: PayOptions): Promise<void> {
  const { runPay } = await import('./pay.ts')
  await runPay({
    baseUrl: options.url ?? httpUrl(config.HOST, config.PORT),
    path,
    isFull: options.full ?? false,
    isVerbose: options.verbose ?? false,
    isReal: options.real ?? false,
    network: options.network,
    wallet: {
      privateKey: (options.network === 'evm' ? config.PAY_PRIVATE_KEY : config.PAY_PRIVATE_KEY_SVM) ?? null,
      rpcUrl: config.X402_SVM_RPC_URL ?? null,
    },
    print: (text) => process.stdout.write(`${text}\n`),
  })
}

const runOnLog = (program: string, task: Task): Promise<void> =>
  run(program, (config, console, signal) => {
    refuseUnfinishedRestore(config.DATA_DIR)
    for (const warning of logChoiceOf(config).warnings) console.logger.warn(warning)
    return task(config, console, signal)
  })

/** Exit codes: 0 for success, 1 for a failure, 2 for a wrong configuration. */
async function run(program: string, task: Task): Promise<void> {
  const stopping = new AbortController()
  const leaveSignals = stopOnSignals(stopping)
  const watch = watchProcess()
  stopping.signal.addEventListener('abort', mustEndSoon)
  const stopWatching = watchNpm({ onGone: () => stopping.abort(), environment: process.env })
  // Keeps the process alive while a program only waits for new records.
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
    // After a failure, an open handle may keep the process alive. The process would then look like a running
    // program. This timer ends the process.
    setTimeout(() => process.exit(), failedMsMax).unref()
  } finally {
    clearInterval(alive)
    stopWatching()
    leaveSignals()
    await watch.stop()
  }
}

const failedMsMax = 5_000

/**
 * Two signals within this time count as one. If npm started this process, Ctrl-C reaches it twice: from the terminal,
 * and forwarded by npm.
 */
const sameSignalMs = 1_000

/**
 * The first signal asks for a clean end. Another signal, at least 1 s later, ends the process immediately.
 * Returns a function that removes the handlers.
 */
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
