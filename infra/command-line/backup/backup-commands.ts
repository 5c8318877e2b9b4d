/** Adds the commands `launch-data backup` and `launch-data restore`. */
import type { Command } from 'commander'
import type { Task } from '../console.ts'
import { exampleOf } from '../example-of.ts'

type Run = (program: string, task: Task) => Promise<void>

export function addBackup(command: Command, run: Run): void {
  command
    .command('backup')
    .description('copy the log with the payments, and the secrets, of DATA_DIR to a new folder; the service may run')
    .argument('<folder>', 'the folder to create, outside of DATA_DIR; it must not exist, or be empty')
    .addHelpText('after', exampleOf('DATA_DIR=/var/lib/launch-data launch-data backup /backups/monday'))
    .action((folder: string) =>
      run('backup', async (config, _, signal) => {
        const { runBackup } = await import('./run-backup.ts')
        await runBackup(folder, config, signal)
      }),
    )
  command
    .command('restore')
    .description('check a backup and copy it to DATA_DIR, which must be empty; start only one service from a backup')
    .argument('<folder>', 'a folder that "launch-data backup" made')
    .option('--check', 'only check that the backup is whole')
    .addHelpText(
      'after',
      exampleOf(
        'launch-data restore --check /backups/monday',
        'DATA_DIR=/var/lib/launch-data-2 launch-data restore /backups/monday',
      ),
    )
    .action((folder: string, { check = false }: Readonly<{ check?: boolean }>) =>
      run('restore', async (config, _, signal) => {
        const { runCheck, runRestore } = await import('./run-backup.ts')
        await (check ? runCheck(folder, signal) : runRestore(folder, config, signal))
      }),
    )
}
