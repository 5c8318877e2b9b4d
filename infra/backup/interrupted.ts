import { OperationError } from '../errors.ts'

/** The error of a backup, restore or export that a signal stopped. */
export const interrupted = (what: 'backup' | 'restore' | 'export', cause: unknown): OperationError =>
  new OperationError('interrupted', `the ${what} was stopped, and its files were removed. Run the command again`, {
    cause,
  })
