/**
 * `npm run kafka:up`: starts a local Kafka cluster that runs until `npm run kafka:down`, and prints the
 * variables to export. `eval "$(npm run -s kafka:up)"` sets them in the shell.
 */
import { isOperationError } from '../../errors.ts'
import { startKafka } from './cluster.ts'
import { isUp, type KeptCluster, keepCluster, readKeptCluster, stopKeptCluster } from './kept-cluster.ts'

/** A progress line on a terminal. In a pipe it shows nothing. */
type ProgressLine = Readonly<{ show(text: string): void; end(): void }>

const redrawMs = 200

function createProgressLine(stream: NodeJS.WriteStream, nowMs: () => number): ProgressLine {
  let shownAtMs = 0
  let isShown = false
  return {
    show(text) {
      if (!stream.isTTY || nowMs() - shownAtMs < redrawMs) return
      shownAtMs = nowMs()
      isShown = true
      stream.write(`\r\u001b[2K${text.slice(0, Math.max(20, stream.columns - 1))}`)
    },
    end() {
      if (isShown) stream.write('\r\u001b[2K')
      isShown = false
    },
  }
}

const abort = new AbortController()
process.once('SIGINT', () => abort.abort())

async function start(): Promise<KeptCluster> {
  const progress = createProgressLine(process.stderr, Date.now)
  process.stderr.write(
    'Kafka and a schema registry are starting; the first time, Maven downloads them (about 150 MB)\n',
  )
  try {
    const { signal } = abort
    return await keepCluster(await startKafka({ withRegistry: true, outlivesUs: true, report: progress.show, signal }))
  } finally {
    progress.end()
  }
}

try {
  const kept = await readKeptCluster()
  if (kept !== null && !isUp(kept)) await stopKeptCluster(kept)
  const { brokers, registryUrl } = kept !== null && isUp(kept) ? kept : await start()
  process.stdout.write(`export KAFKA_BROKERS=${brokers}\nexport SCHEMA_REGISTRY_URL=${registryUrl}\n`)
} catch (error) {
  process.stderr.write(isOperationError(error) ? `${error.code}: ${error.message}\n` : 'stopped\n')
  if (!isOperationError(error) && !abort.signal.aborted) throw error
  process.exitCode = 1
}
