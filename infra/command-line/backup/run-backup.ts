/** Runs `launch-data backup` and `launch-data restore`, and prints what the operator should do next. */
import { backUp } from '../../backup/back-up.ts'
import { bytesOf, type Manifest, readManifest } from '../../backup/manifest.ts'
import { checkBackup, restoreBackup } from '../../backup/restore.ts'
import type { Config } from '../../config.ts'
import { OperationError } from '../../errors.ts'
import { logChoiceOf, sharedLogVariables } from '../../log/open-log.ts'

const print = (...lines: readonly string[]): void => void process.stdout.write(`${lines.join('\n')}\n`)

export async function runBackup(folder: string, config: Config, signal: AbortSignal): Promise<void> {
  const { copyTo: copyLog } = logChoiceOf(config)
  const made = await backUp({ dataDir: config.DATA_DIR, folder, copyLog, nowMs: Date.now, signal })
  print(`backed up ${sizeOf(made)} to ${folder}`)
  if (made.log === 'servers')
    print(
      'The log is on Kafka, so this backup has no log and no payments. Copy the topics with the tools of Kafka.',
      'Also copy the schemas of the registry.',
    )
  print('Environment variables are not in the backup. Keep a copy of them too, with their secrets.')
}

export async function runCheck(folder: string, signal: AbortSignal): Promise<void> {
  const manifest = await checkBackup(folder, signal)
  print(`${folder} is whole: ${sizeOf(manifest)}, made at ${manifest.madeAt}`)
}

export async function runRestore(folder: string, config: Config, signal: AbortSignal): Promise<void> {
  const { DATA_DIR: dataDir, CLICKHOUSE_URL: tablesUrl } = config
  refuseOtherLog(await readManifest(folder), config)
  const manifest = await restoreBackup({ folder, dataDir, signal })
  print(
    `restored ${sizeOf(manifest)} to ${dataDir}, as of ${manifest.madeAt}`,
    'Next:',
    '  1. Make sure that the service of the backup does not run any more, and start only one service from the backup.',
    '     Two services with the same payments can sell two answers for one payment.',
    '  2. Set the environment variables of that service, and this DATA_DIR.',
    ...(tablesUrl === undefined ? startWithoutTables : startWithTables),
  )
}

const startWithoutTables = [
  '  3. Run "launch-data doctor", then start the service. It builds the tables from the log, and answers 503',
  '     warming_up until they are complete.',
]
const startWithTables = [
  '  3. Run "launch-data project --rebuild", because the tables on the ClickHouse server can be newer than the log.',
  '     Then start the service.',
]

/** The service would start with an empty log if the configuration named another log than that of the backup. */
function refuseOtherLog({ log }: Manifest, config: Config): void {
  const { isShared } = logChoiceOf(config)
  if (isShared === (log === 'servers')) return
  throw new OperationError(
    'config_invalid',
    isShared
      ? 'the backup has an embedded log, but KAFKA_BROKERS is set. Unset KAFKA_BROKERS, so that the service uses the log of the backup'
      : `the log of the backup is on Kafka. Set ${sharedLogVariables}`,
  )
}

const sizeOf = (manifest: Pick<Manifest, 'files'>): string =>
  `${manifest.files.length} files with ${(bytesOf(manifest) / 1e6).toFixed(1)} MB`
