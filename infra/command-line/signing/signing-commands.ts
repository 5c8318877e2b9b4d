/** Adds the commands `launch-data verify-answer` and `launch-data rotate-signing-key`. */
import { type Command, Option } from 'commander'
import type { Task } from '../console.ts'
import { exampleOf } from '../example-of.ts'
import type { RotateOptions } from './run-rotate.ts'

type Run = (program: string, task: Task) => Promise<void>

const print = (text: string): void => void process.stdout.write(text)

export function addSigning(command: Command, run: Run): void {
  command
    .command('verify-answer')
    .description('verify a signed answer that was saved with its headers; exit code 1 when it is not as signed')
    .argument('<file>', 'the answer with status line and headers, as "curl -i" prints it')
    .requiredOption('--url <url>', 'the whole URL of the request, with its parameters')
    .option(
      '--keys <place>',
      'URL of the key directory of the service, or a file with a copy of it (default: the directory at the host of --url)',
    )
    .addHelpText(
      'after',
      exampleOf(
        'launch-data verify-answer answer.http --url "https://data.example/v1/rh/bursts/live?minutes=5"',
        'launch-data verify-answer answer.http --url https://data.example/v1/rh/crews --keys keys.json',
      ),
    )
    .action((file: string, options: Readonly<{ url: string; keys?: string }>) =>
      run('verify-answer', async (_, __, signal) => {
        const { runVerifyAnswer } = await import('./run-verify.ts')
        if (!(await runVerifyAnswer(file, options, { signal, print }))) process.exitCode = 1
      }),
    )
  command
    .command('rotate-signing-key')
    .description('make a new key for signed answers in DATA_DIR; the service may run, and earlier keys stay published')
    .option('--after <seconds>', 'time until the new key signs, so that caches of the keys have it', '300')
    .addOption(
      new Option(
        '--revoke',
        'use the new key at once, and publish no earlier key: if somebody else has a key',
      ).conflicts('after'),
    )
    .addHelpText('after', exampleOf('DATA_DIR=/var/lib/launch-data launch-data rotate-signing-key'))
    .action((options: RotateOptions) =>
      run('rotate-signing-key', async (config) => {
        const { runRotate } = await import('./run-rotate.ts')
        await runRotate(options, { config, print })
      }),
    )
}
