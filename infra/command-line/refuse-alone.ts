import type { Config } from '../config.ts'
import { OperationError } from '../errors.ts'
import { logChoiceOf, sharedLogVariables } from '../log/open-log.ts'
import type { ProgramName } from '../program.ts'

/**
 * Fails with `config_invalid` if the program would use the embedded log or embedded tables. Only one process
 * can open them, so separate programs could not exchange data. The error names the variables to set.
 */
export function refuseAlone(program: ProgramName | 'serve', config: Config): void {
  const usesTables = program === 'project' || program === 'serve'
  const needed = [
    ...(logChoiceOf(config).isShared ? [] : [`${sharedLogVariables} (the log)`]),
    ...(usesTables && config.CLICKHOUSE_URL === undefined ? ['CLICKHOUSE_URL (the tables)'] : []),
  ]
  if (needed.length === 0) return
  throw new OperationError(
    'config_invalid',
    `"launch-data ${program}" shares servers with other processes. Set ${needed.join(' and ')}. Or run everything in one process with "launch-data up", which needs no servers`,
  )
}
