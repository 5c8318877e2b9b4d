/** Adds the commands `launch-data export`, `launch-data verify` and `launch-data import`. */
import { type Command, Option } from 'commander'
import { type Form, forms } from '../../archive/columns.ts'
import type { Task } from '../console.ts'
import { exampleOf } from '../example-of.ts'

type ExportOptions = Readonly<{ day: string; folder?: string; form: Form; dry?: boolean }>

type Run = (program: string, task: Task) => Promise<void>

export function addArchive(command: Command, run: Run): void {
  command
    .command('export')
    .description('write the records that became known on one day to Parquet files; the service may run meanwhile')
    .requiredOption('--day <day>', 'a finished day in UTC, such as 2026-01-31')
    .option('--folder <folder>', 'the folder of the files; it may have other days (default: ARCHIVE_DIR)')
    .addOption(
      new Option('--form <form>', 'archive: every record with its exact bytes, for the owner; public: may be shared')
        .choices(forms)
        .default('archive'),
    )
    .option('--dry', 'instead, print how many records and bytes the day has, and its gaps')
    .addHelpText(
      'after',
      exampleOf(
        'launch-data export --day 2026-01-31 --folder /archive',
        'launch-data export --day 2026-01-31 --folder /srv/shared --form public',
      ),
    )
    .action((options: ExportOptions) =>
      run('export', async (config, { logger }, signal) => {
        const { runExport } = await import('./run-archive.ts')
        await runExport(options, { config, logger, signal })
      }),
    )
  command
    .command('verify')
    .description('check exported files against their manifests; exit code 1 when a file is damaged or missing')
    .argument('<folder>', 'a folder that "launch-data export" wrote')
    .addHelpText('after', exampleOf('launch-data verify /archive'))
    .action((folder: string) =>
      run('verify', async (_, __, signal) => {
        const { runVerify } = await import('./run-archive.ts')
        if (!(await runVerify(folder, signal))) process.exitCode = 1
      }),
    )
  command
    .command('import')
    .description('check exported files and append their records to an empty log; no service may run on this log')
    .argument('<folder>', 'a folder that "launch-data export" wrote')
    .addHelpText('after', exampleOf('DATA_DIR=/var/lib/launch-data-2 launch-data import /archive'))
    .action((folder: string) =>
      run('import', async (config, { logger }, signal) => {
        const { runImport } = await import('./run-import.ts')
        await runImport(folder, { config, logger, signal })
      }),
    )
}
