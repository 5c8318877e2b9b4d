/** The `launch-data` command: what can be run, and how it ends. */
import { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { isOperationError } from '../errors.ts'
import { createLogger, type Logger } from '../telemetry.ts'
import { describeTopics } from './print-topics.ts'

type Run = (config: Config, logger: Logger, signal: AbortSignal) => Promise<void>

export async function main(argv: readonly string[]): Promise<void> {
  const command = new Command('launch-data').description(
    'Launch Data Service: bursts, outcomes and pool flow of token launches, sold per call. Configured by environment variables; the README lists them.',
  )
  command
    .command('up')
    .description('run everything in one process: ingest, stage, projections and the API')
    .action(() => run('up', async (...context) => (await import('./up.ts')).runUp(...context)))
  command
    .command('project')
    .description('work on the tables; the service must be stopped')
    .requiredOption('--rebuild', 'drop the tables and project the log again')
    .action(() => run('project', async (...context) => (await import('./rebuild.ts')).runRebuild(...context)))
  command
    .command('topics')
    .description('print every topic of the log')
    .action(() => {
      process.stdout.write(`${describeTopics()}\n`)
    })
  command
    .command('pay')
    .description('buy one answer: prints the 402, the payment and the answer')
    .argument('<path>', 'such as "/v1/rh/bursts/live?tier=all"')
    .option('--url <url>', 'the service; default: the one started here on PORT')
    .option('--full', 'print the whole body')
    .option('--real', 'pay with real money from PAY_PRIVATE_KEY')
    .action((path: string, options: PayOptions) => run('pay', async (config) => payOnce(config, path, options)))
  await command.parseAsync([...argv])
}

type PayOptions = Readonly<{ url?: string; full?: boolean; real?: boolean }>

async function payOnce(config: Config, path: string, options: PayOptions): Promise<void> {
  const { runPay } = await import('./pay.ts')
  await runPay({
    baseUrl: options.url ?? `http://${config.HOST}:${config.PORT}`,
    path,
    isFull: options.full ?? false,
    isReal: options.real ?? false,
    privateKey: config.PAY_PRIVATE_KEY ?? null,
    print: (text) => process.stdout.write(`${text}\n`),
  })
}

/** Exit codes: 0 as asked, 1 a failure, 2 a wrong configuration. A second signal does not wait for a clean end. */
async function run(program: string, task: Run): Promise<void> {
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => (stopping.signal.aborted ? process.exit(1) : stopping.abort()))
  try {
    const config = readConfig(process.env)
    await task(config, createLogger(program, config.LOG_LEVEL), stopping.signal)
    process.exitCode = 0
  } catch (error) {
    process.stderr.write(`${describeFailure(error)}\n`)
    process.exitCode = isOperationError(error, 'config_invalid') ? 2 : 1
  }
}

function describeFailure(error: unknown): string {
  if (!isOperationError(error))
    return `launch-data: a fault of ours: ${error instanceof Error ? error.stack : String(error)}`
  const context = Object.keys(error.context).length > 0 ? ` ${JSON.stringify(error.context)}` : ''
  return `launch-data: ${error.message} (${error.code})${context}`
}
